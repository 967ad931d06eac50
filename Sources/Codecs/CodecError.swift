/// Why codec bytes could not be understood.
package struct CodecError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// The bytes end before what they announce.
        case truncated
        /// The bytes are not what they should be, or state values that the standard forbids.
        case malformed
        /// Valid, but of a kind that is not handled.
        case unsupported
    }

    package let code: Code
    /// For people: the structure, and what is wrong with it.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension CodecError: CustomStringConvertible {
    package var description: String { detail }
}
