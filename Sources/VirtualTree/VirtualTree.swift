package import Diagnostics
internal import Dispatch
internal import SourceAPI
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

    struct State: Sendable {
        var nodes: NodeTable
        /// By shown name, in its byte order; of a mount of one source: that one, and its name is not shown.
        var shelves: [(name: [UInt8], shelf: SourceShelf)]
        weak var observer: (any TreeObserver)?
    }

    let state: Mutex<State>
    let isOfOne: Bool
    let log: Log
    /// Observers are called here: they may wait for the kernel, which may wait for one of our answers.
    private let notifications = DispatchQueue(label: "reelfs.tree.changes")

    /// Begins to list the root, or the roots, in the background.
    package init(root: Root, log: Log) {
        self.log = log
        switch root {
        case .shelf(let shelf):
            isOfOne = true
            state = Mutex(State(nodes: NodeTable(root: Node(rootOf: shelf)), shelves: [([], shelf)]))
        case .directory(let shelves):
            isOfOne = false
            state = Mutex(State(nodes: NodeTable(root: Node(rootOf: nil)), shelves: Self.named(shelves)))
        }
        for (_, shelf) in state.withLock({ $0.shelves }) {
            shelf.add(self)
            shelf.warm()
        }
    }

    /// Who is told of changes; kept weakly.
    package func setObserver(_ observer: (any TreeObserver)?) { state.withLock { $0.observer = observer } }

    /// Sources were added to or removed from a mount of several (`Root.directory`): shown at once. A source that was set up anew is another shelf,
    /// also under the same name. A mount of one source takes the first shelf as its new root; without one it stays as it is.
    package func setShelves(_ shelves: [SourceShelf]) {
        guard !isOfOne else { return replaceRoot(shelves.first) }
        let new = Self.named(shelves)
        let old = state.withLock { state in
            defer { state.shelves = new }
            return state.shelves
        }
        for (_, shelf) in old where !new.contains(where: { $0.shelf === shelf }) { shelf.remove(self) }
        for (_, shelf) in new where !old.contains(where: { $0.shelf === shelf }) {
            shelf.add(self)
            shelf.warm()
        }
        let changed = old.filter { before in !new.contains { $0.name == before.name && $0.shelf === before.shelf } }
        guard changed.count > 0 || old.count != new.count else { return }
        notify { observer in
            for (name, _) in changed { observer.invalidateEntry(parent: NodeNumbers.root, name: name) }
            observer.invalidateNode(NodeNumbers.root)
        }
    }

    private func replaceRoot(_ shelf: SourceShelf?) {
        guard let shelf else { return }
        let old: SourceShelf? = state.withLock { state in
            guard let old = state.shelves.first?.shelf, old !== shelf else { return nil }
            state.shelves = [([], shelf)]
            state.nodes.replaceRoot(Node(rootOf: shelf))
            return old
        }
        guard let old else { return }
        old.remove(self)
        shelf.add(self)
        shelf.warm()
        notify { $0.invalidateNode(NodeNumbers.root) }
    }

    /// The sources shown, in the order of their names.
    package var shelves: [SourceShelf] { state.withLock { $0.shelves.map(\.shelf) } }

    private static func named(_ shelves: [SourceShelf]) -> [(name: [UInt8], shelf: SourceShelf)] {
        let entries = shelves.enumerated().map { index, shelf in
            RemoteEntry(name: Array(shelf.name.utf8), kind: .directory, locator: EntryLocator("\(index)"), cacheKey: "")
        }
        return zip(NameMapping.shownNames(of: entries), shelves).compactMap { name, shelf in name.map { ($0, shelf) } }
            .sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }

    func notify(_ action: @escaping @Sendable (any TreeObserver) -> Void) {
        notifications.async { [weak self] in
            guard let observer = self?.state.withLock({ $0.observer }) else { return }
            action(observer)
        }
    }

    /// The node of a number that the kernel may still use.
    func node(_ number: UInt64) -> Result<Node, TreeError> {
        state.withLock { state in
            guard let node = state.nodes[number] else { return .failure(TreeError(.stale, "inode \(number) is not known")) }
            if let shelf = node.shelf, !state.shelves.contains(where: { $0.shelf === shelf }) {
                return .failure(TreeError(.stale, "the source \(shelf.name) was removed or set up anew"))
            }
            return .success(node)
        }
    }

    /// For `statfs`: from memory, at once.
    package func statistics() -> TreeStatistics {
        let shelves = state.withLock { $0.shelves.map(\.shelf) }
        var files: UInt64 = 0
        for shelf in shelves { files += UInt64(shelf.health.entries) }
        // Of several sources no sum would mean anything.
        if isOfOne, let shelf = shelves.first, let quota = shelf.peek(shelf.source.root)?.snapshot.quota, let free = quota.available {
            let (total, overflow) = free.addingReportingOverflow(quota.used ?? 0)
            if !overflow { return TreeStatistics(totalBytes: total, freeBytes: free, files: files) }
        }
        return TreeStatistics(totalBytes: TreeStatistics.unknownTotal, freeBytes: TreeStatistics.unknownTotal, files: files)
    }
}

extension VirtualTree: ShelfListener {
    func shelf(_ shelf: SourceShelf, changed change: DirectoryChange) {
        notify { observer in
            for (parent, names) in self.known(shelf, change) {
                for difference in names {
                    // Entry first: whoever looks the name up again finds the new node.
                    observer.invalidateEntry(parent: parent, name: difference.name)
                }
                observer.invalidateNode(parent)
            }
        }
    }

    /// The kernel's number of the directory, if it knows it, and the names that it may have cached there.
    private func known(_ shelf: SourceShelf, _ change: DirectoryChange) -> [(parent: UInt64, names: [DirectoryChange.Difference])] {
        let number = NodeNumbers.directory(source: shelf.name, locator: change.directory)
        return state.withLock { state in
            var parents: [UInt64] = []
            if isOfOne, change.directory == shelf.source.root { parents.append(NodeNumbers.root) }
            if let node = state.nodes[number], node.shelf === shelf, node.locator == change.directory { parents.append(number) }
            let names = change.differences.filter { state.nodes[$0.oldNumber] != nil }
            return parents.map { ($0, names) }
        }
    }
}

/// What `statfs` tells.
package struct TreeStatistics: Hashable, Sendable {
    /// The origin's quota where it tells one, else 1 PiB: programs that look for room find some.
    package var totalBytes: UInt64
    package var freeBytes: UInt64
    /// Entries of the directories that are in memory.
    package var files: UInt64

    static let unknownTotal: UInt64 = 1 << 50
}
