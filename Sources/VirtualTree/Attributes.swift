package import Bytes
package import SourceAPI

/// What `stat` shows of a node. Owner and umask are the mount's business.
package struct Attributes: Hashable, Sendable {
    /// The inode number: 1 for the root of the mount, never 0. It names one version of a file, or one directory.
    package let number: UInt64
    package let kind: RemoteEntry.Kind
    /// Exact. 0 for directories.
    package let size: UInt64
    /// As the listing says, else as the file's replies say, else `nil`: show the epoch then. A time made up here would change from run to run,
    /// and programs that compare times (rsync) would copy again.
    package let modified: UnixTime?
    /// How long the kernel may keep this without asking. Changes learned earlier are told to the `TreeObserver`.
    package let validFor: Duration

    package init(number: UInt64, kind: RemoteEntry.Kind, size: UInt64, modified: UnixTime?, validFor: Duration) {
        self.number = number
        self.kind = kind
        self.size = size
        self.modified = modified
        self.validFor = validFor
    }

    package var isDirectory: Bool { kind == .directory }

    /// Permission bits before the umask: everything is read-only.
    package var permissions: UInt16 { isDirectory ? 0o555 : 0o444 }

    /// 1 for directories too: "number of subdirectories not told", which `find` understands.
    package var linkCount: UInt32 { 1 }
}
