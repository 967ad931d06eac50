package import VirtualTree

extension VirtualTree: MountableTree {
    package func openDirectory(_ number: UInt64, reply: @escaping TreeReply<any TreeDirectory>) -> TreeTask? {
        openDirectory(number) { [self] (result: Result<DirectoryHandle, TreeError>) in
            reply(result.map { OpenDirectory(tree: self, handle: $0) })
        }
    }

    package func open(_ number: UInt64, reply: @escaping TreeReply<any TreeFile>) -> TreeTask? {
        open(number) { (result: Result<OpenFile, TreeError>) in reply(result.map { $0 }) }
    }

    package func totals() -> (bytes: UInt64, freeBytes: UInt64, files: UInt64) {
        let statistics = statistics()
        return (statistics.totalBytes, statistics.freeBytes, statistics.files)
    }
}

extension OpenFile: TreeFile {}

/// A directory handle together with the tree that counts its look-ups.
private final class OpenDirectory: TreeDirectory {
    private let tree: VirtualTree
    private let handle: DirectoryHandle

    init(tree: VirtualTree, handle: DirectoryHandle) {
        self.tree = tree
        self.handle = handle
    }

    var number: UInt64 { handle.number }
    var parentNumber: UInt64 { handle.parentNumber }
    var count: Int { handle.count }

    func item(at index: Int) -> DirectoryItem? {
        handle[index].map { DirectoryItem(name: $0.name, number: $0.number, kind: $0.kind) }
    }

    func remember(_ index: Int) -> Attributes? { tree.remember(index, of: handle) }
}
