internal import Glibc
internal import Synchronization

/// Files that have a name before they are whole, as some file systems want it.
package enum UnfinishedFiles {
    private static let paths = Mutex<Set<String>>([])

    static func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    static func forget(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    /// For a process that ends before its films do.
    package static func removeAll() {
        paths.withLock { paths in
            for path in paths { unlink(path) }
            paths = []
        }
    }
}
