/// Why a directory did not become a mount, or did not stop being one.
package struct MountError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// `-o` holds a word that is not known, or a value that makes no sense.
        case badOption
        /// The mount point does not exist.
        case missing
        /// The mount point is not a directory.
        case notDirectory
        /// Something is mounted there and works.
        case alreadyMounted
        /// Something is mounted there that does not answer and is not ours.
        case foreignMount
        /// The kernel, `/dev/fuse` or fusermount3 refuses.
        case denied
        /// The mount does not answer within its time.
        case notAnswering
        /// Files are in use, and no lazy unmount was asked for.
        case busy
        /// Anything else the system said.
        case failed
    }

    package let code: Code
    /// What failed and where.
    package let detail: String
    /// What the user can do about it.
    package let advice: String?

    package init(_ code: Code, _ detail: String, advice: String? = nil) {
        self.code = code
        self.detail = detail
        self.advice = advice
    }
}

extension MountError: CustomStringConvertible {
    package var description: String { advice.map { "\(detail) (\($0))" } ?? detail }
}
