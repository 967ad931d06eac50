/// Why the cache does not do what was asked. The code is what callers branch on.
package struct CacheError: Error, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The directory holds something and is not marked as a cache: nothing in it is touched.
        case foreignDirectory
        /// The marker names a format that this version does not know.
        case unknownFormat
        /// Another process holds the lock; its pid, when the lock file tells it.
        case locked(pid: Int32?)
        /// A file or directory cannot be opened, made or changed.
        case inaccessible
        /// The object has blocks under another pinned text: retire it and open it anew.
        case pinnedDiffers
        /// The store is closed.
        case closed
    }

    package let code: Code
    package let detail: String
    /// What the user can do about it.
    package let advice: String?

    package init(_ code: Code, _ detail: String, advice: String? = nil) {
        self.code = code
        self.detail = detail
        self.advice = advice
    }

    package var description: String { advice.map { "\(detail) (\($0))" } ?? detail }
}
