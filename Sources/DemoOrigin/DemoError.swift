/// Why the demo server or its tree could not be made.
package struct DemoError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable { case noSuchDirectory, portTaken, cannotListen, cannotWrite }

    package let code: Code
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String { detail }
}
