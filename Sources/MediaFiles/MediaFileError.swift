/// What went wrong with a file, and what can be done.
package struct MediaFileError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// The source cannot be opened or read.
        case unreadable
        /// It is no film in a container that is known here.
        case notMedia
        /// It is damaged beyond use.
        case damaged
        /// Nothing in it can be played from an MP4.
        case refused
        /// DRM or scrambling.
        case encrypted
        /// The result cannot be written.
        case unwritable
        /// The result is there already.
        case exists
        /// Stopped by the user.
        case cancelled
    }

    package let code: Code
    package let path: String
    /// For people: what is wrong, and what to do about it.
    package let detail: String

    package init(_ code: Code, path: String, _ detail: String) {
        self.code = code
        self.path = path
        self.detail = detail
    }
}

extension MediaFileError: CustomStringConvertible {
    package var description: String { "\(path): \(detail)" }
}
