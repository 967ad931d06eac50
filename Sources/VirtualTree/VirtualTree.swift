package import Diagnostics
internal import Synchronization

/// One mount's directories and files, without a mount: nodes by number, look-ups, handles. Thread-safe.
///
/// Requests reply exactly once: on the caller's thread, before the call returns `nil`, when memory has the answer; else later, from another
/// thread, and the returned task cancels. No call blocks on an origin.
package final class VirtualTree: Sendable {
    package enum Root: Sendable {
        /// The content of one source is the content of the mount.
        case shelf(SourceShelf)
        /// One directory for each source, by its name.
        case directory([SourceShelf])
    }

    package typealias Reply<Value> = @Sendable (Result<Value, TreeError>) -> Void

    /// The root's inode number.
    package static let rootNumber: UInt64 = 1

    package init(root: Root, log: Log) {
    }

    /// Who is told of changes; kept weakly.
    package func setObserver(_ observer: (any TreeObserver)?) {}

    /// Sources were added to or removed from a mount of several (`Root.directory`): shown at once.
    package func setShelves(_ shelves: [SourceShelf]) {}

    /// Finds a name and counts one look-up of its node, to be undone by `forget`.
    package func lookup(parent: UInt64, name: [UInt8], reply: @escaping Reply<Attributes>) -> TreeTask? { nil }

    package func attributes(of number: UInt64, reply: @escaping Reply<Attributes>) -> TreeTask? { nil }

    /// The kernel drops `count` look-ups.
    package func forget(_ number: UInt64, count: UInt64) {}

    package func openDirectory(_ number: UInt64, reply: @escaping Reply<DirectoryHandle>) -> TreeTask? { nil }

    /// Counts one look-up of an item, as readdirplus does for each item with attributes that it tells the kernel. `nil`: the item has no attributes
    /// yet, nothing was counted. Use these attributes rather than the item's.
    package func remember(_ index: Int, of handle: DirectoryHandle) -> Attributes? { nil }

    package func open(_ number: UInt64, reply: @escaping Reply<OpenFile>) -> TreeTask? { nil }

    /// `user.reelfs.*` of a node; empty for an unknown one. Names are complete (`user.reelfs.source`).
    package func extendedAttributes(of number: UInt64) -> [(name: String, value: [UInt8])] { [] }

    /// For `statfs`: from memory, at once.
    package func statistics() -> TreeStatistics { TreeStatistics(totalBytes: 0, freeBytes: 0, files: 0) }
}

/// What `statfs` tells.
package struct TreeStatistics: Hashable, Sendable {
    /// The origin's quota where it tells one, else 1 PiB: programs that look for room find some.
    package var totalBytes: UInt64
    package var freeBytes: UInt64
    /// Entries of the directories that are in memory.
    package var files: UInt64
}
