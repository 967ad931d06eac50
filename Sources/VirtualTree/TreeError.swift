package import SourceAPI

/// Why the tree does not give what was asked. The adapter turns the code into an errno, in one table of its own.
package struct TreeError: Error, Sendable {
    package enum Code: Hashable, Sendable {
        /// The origin failed, or its circuit breaker answers for it.
        case source(SourceError.Code)
        /// The listing has no such name, or the origin itself says that the directory is gone.
        case notFound
        case notDirectory
        case isDirectory
        /// The node belongs to a version or a source that is no more: look the path up again.
        case stale
        case readOnly
        /// More than 255 bytes.
        case nameTooLong
        case invalid
        /// The caller gave up.
        case interrupted
        /// No extended attribute of that name.
        case noAttribute
    }

    package var code: Code
    /// What failed and why, fit for people: URLs are redacted.
    package var detail: String
    package var advice: String?

    package init(_ code: Code, _ detail: String, advice: String? = nil) {
        self.code = code
        self.detail = detail
        self.advice = advice
    }

    /// A failure of the origin. Its `.notFound` stays one of the source: only whoever knows what was asked may say that a name does not exist.
    package init(_ error: SourceError) {
        self.init(.source(error.code), error.detail, advice: error.advice)
    }
}

extension TreeError: CustomStringConvertible {
    package var description: String { advice.map { "\(detail) (\($0))" } ?? detail }
}
