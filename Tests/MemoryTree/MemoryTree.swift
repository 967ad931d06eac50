package import Bytes
package import FuseAdapter
package import SourceAPI
internal import Synchronization
package import VirtualTree

/// A tree in memory for tests of mounts: it answers at once, late, never or with an error, as its files are told to, and
/// counts look-ups and handles.
package final class MemoryTree: MountableTree {
    /// What a file gives.
    package enum Content: Sendable {
        case bytes([UInt8])
        /// `size` bytes, each made from its offset (`MemoryTree.byte`), at once.
        case pattern(size: UInt64)
        /// The same, answered by another thread after a while.
        case late(size: UInt64, after: Duration)
        /// Reads are never answered, unless they are cancelled.
        case stuck(size: UInt64)
        /// Reads are never answered, not even when they are cancelled.
        case dead(size: UInt64)
        case failing(SourceError.Code)
        /// The listing does not tell the size: a look-up does, late.
        case unlisted([UInt8])

        package var size: UInt64 {
            switch self {
            case .bytes(let bytes), .unlisted(let bytes): UInt64(bytes.count)
            case .pattern(let size), .late(let size, _), .stuck(let size), .dead(let size): size
            case .failing: 1_000
            }
        }
    }

    package struct Node: Sendable {
        package var name: [UInt8]
        package var parent: UInt64
        package var kind: RemoteEntry.Kind
        package var content: Content
        package var children: [UInt64] = []
        package var attributes: [(name: String, value: [UInt8])] = []
    }

    private struct State: Sendable {
        var nodes: [UInt64: Node] = [1: Node(name: [], parent: 1, kind: .directory, content: .bytes([]))]
        var names: [UInt64: [[UInt8]: UInt64]] = [:]
        var next: UInt64 = 2
        var counts: [UInt64: Int64] = [:]
        var openFiles = 0
        var listFailure: SourceError.Code?
        weak var observer: (any TreeObserver)?
    }

    private let state = Mutex(State())
    package let modified = UnixTime(seconds: 1_600_000_000)
    private let validFor: Duration

    package init(validFor: Duration = .seconds(60)) { self.validFor = validFor }

    /// The byte at an offset of a pattern.
    package static func byte(at offset: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: (offset &* 0x9E37_79B9_7F4A_7C15) >> 56) }

    // MARK: Building

    @discardableResult
    package func add(_ name: String, _ content: Content, to parent: UInt64 = 1, attributes: [(name: String, value: [UInt8])] = []) -> UInt64 {
        insert(Node(name: Array(name.utf8), parent: parent, kind: .file, content: content, attributes: attributes))
    }

    @discardableResult
    package func addDirectory(_ name: String, to parent: UInt64 = 1) -> UInt64 {
        insert(Node(name: Array(name.utf8), parent: parent, kind: .directory, content: .bytes([])))
    }

    private func insert(_ node: Node) -> UInt64 {
        state.withLock { state in
            let number = state.next
            state.next += 1
            state.nodes[number] = node
            state.nodes[node.parent]?.children.append(number)
            state.names[node.parent, default: [:]][node.name] = number
            return number
        }
    }

    /// Gives the name another node, as a changed origin does, and tells the kernel.
    package func replace(_ name: String, _ content: Content, in parent: UInt64 = 1) {
        let observer = state.withLock { state in
            let old = state.names[parent]?[Array(name.utf8)]
            state.nodes[parent]?.children.removeAll { $0 == old }
            return state.observer
        }
        add(name, content, to: parent)
        observer?.invalidateEntry(parent: parent, name: Array(name.utf8))
        observer?.invalidateNode(parent)
    }

    /// From now on listings fail.
    package func failListings(_ code: SourceError.Code?) { state.withLock { $0.listFailure = code } }

    // MARK: What was counted

    /// Look-ups that the kernel still has to forget.
    package var lookups: Int64 { state.withLock { $0.counts.values.reduce(0, +) } }
    /// Nodes that were forgotten more often than looked up.
    package var overForgotten: Int { state.withLock { state in state.counts.values.count { $0 < 0 } } }
    package var openFiles: Int { state.withLock { $0.openFiles } }
    package var hasObserver: Bool { state.withLock { $0.observer != nil } }

    // MARK: MountableTree

    package func setObserver(_ observer: (any TreeObserver)?) { state.withLock { $0.observer = observer } }

    private static let missing = TreeError(.notFound, "no such name")

    private func shown(_ number: UInt64, _ node: Node) -> Attributes {
        Attributes(
            number: number, kind: node.kind, size: node.kind == .directory ? 0 : node.content.size, modified: modified, validFor: validFor)
    }

    package func lookup(parent: UInt64, name: [UInt8], reply: @escaping TreeReply<Attributes>) -> TreeTask? {
        let found = state.withLock { state -> Result<(Attributes, isLate: Bool), TreeError> in
            guard let number = state.names[parent]?[name], let node = state.nodes[number] else { return .failure(Self.missing) }
            if case .unlisted = node.content { return .success((shown(number, node), true)) }
            state.counts[number, default: 0] += 1
            return .success((shown(number, node), false))
        }
        guard case .success((let attributes, true)) = found else {
            reply(found.map { $0.0 })
            return nil
        }
        return later(.milliseconds(20)) { [self] in
            state.withLock { $0.counts[attributes.number, default: 0] += 1 }
            reply(.success(attributes))
        }
    }

    package func attributes(of number: UInt64, reply: @escaping TreeReply<Attributes>) -> TreeTask? {
        reply(state.withLock { state in state.nodes[number].map { .success(shown(number, $0)) } ?? .failure(TreeError(.stale, "gone")) })
        return nil
    }

    package func forget(_ number: UInt64, count: UInt64) { state.withLock { $0.counts[number, default: 0] -= Int64(clamping: count) } }

    package func openDirectory(_ number: UInt64, reply: @escaping TreeReply<any TreeDirectory>) -> TreeTask? {
        let result = state.withLock { state -> Result<any TreeDirectory, TreeError> in
            if let code = state.listFailure {
                return .failure(TreeError(SourceError(code, "PROPFIND https://host/: no answer", advice: "look later")))
            }
            guard let node = state.nodes[number], node.kind == .directory else { return .failure(TreeError(.notDirectory, "no directory")) }
            let items = node.children.compactMap { child in state.nodes[child].map { (child, $0) } }
            return .success(MemoryDirectory(tree: self, number: number, parentNumber: node.parent, items: items))
        }
        reply(result)
        return nil
    }

    fileprivate func remember(_ number: UInt64, _ node: Node) -> Attributes? {
        if case .unlisted = node.content { return nil }
        state.withLock { $0.counts[number, default: 0] += 1 }
        return shown(number, node)
    }

    package func open(_ number: UInt64, reply: @escaping TreeReply<any TreeFile>) -> TreeTask? {
        let content = state.withLock { state -> Content? in
            guard let node = state.nodes[number], node.kind == .file else { return nil }
            state.openFiles += 1
            return node.content
        }
        guard let content else {
            reply(.failure(TreeError(.isDirectory, "a directory")))
            return nil
        }
        reply(.success(MemoryFile(content: content) { [self] in state.withLock { $0.openFiles -= 1 } }))
        return nil
    }

    package func extendedAttributes(of number: UInt64) -> [(name: String, value: [UInt8])] { state.withLock { $0.nodes[number]?.attributes ?? [] } }

    package func totals() -> (bytes: UInt64, freeBytes: UInt64, files: UInt64) { (1 << 40, 1 << 39, 42) }
}

private final class MemoryDirectory: TreeDirectory {
    let number: UInt64
    let parentNumber: UInt64
    private let tree: MemoryTree
    private let items: [(UInt64, MemoryTree.Node)]

    init(tree: MemoryTree, number: UInt64, parentNumber: UInt64, items: [(UInt64, MemoryTree.Node)]) {
        self.tree = tree
        self.number = number
        self.parentNumber = parentNumber
        self.items = items
    }

    var count: Int { items.count }

    func item(at index: Int) -> DirectoryItem? {
        guard items.indices.contains(index) else { return nil }
        return DirectoryItem(name: items[index].1.name, number: items[index].0, kind: items[index].1.kind)
    }

    func remember(_ index: Int) -> Attributes? {
        guard items.indices.contains(index) else { return nil }
        return tree.remember(items[index].0, items[index].1)
    }
}
