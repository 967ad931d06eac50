/// Why a test could not be set up: a missing program, a server that did not start.
package struct TestSupportError: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(_ description: String) { self.description = description }
}
