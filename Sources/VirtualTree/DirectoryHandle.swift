package import SourceAPI

/// A directory as it was when it was opened. Later changes show to later opens.
package final class DirectoryHandle: Sendable {
    /// One name of a directory; `.` and `..` are not among them.
    package struct Item: Sendable {
        package let name: [UInt8]
        package let number: UInt64
        package let kind: RemoteEntry.Kind
        /// `nil`: the size is not known yet. List the name without attributes; a look-up then waits for the size.
        package let attributes: Attributes?
    }

    enum Content: Sendable {
        case shelves([(name: [UInt8], shelf: SourceShelf)])
        case listing(DirectoryView, of: EntryLocator, validFor: Duration)
    }

    let node: Node
    let content: Content

    init(node: Node, content: Content) {
        self.node = node
        self.content = content
    }

    package var number: UInt64 { node.number }

    /// For `..`; the root's is its own.
    package var parentNumber: UInt64 { node.parentNumber }

    package var count: Int {
        switch content {
        case .shelves(let shelves): shelves.count
        case .listing(let view, _, _): view.snapshot.items.count
        }
    }

    /// The item at a position, the same for as long as the handle lives; `nil` outside `0 ..< count`.
    package subscript(index: Int) -> Item? {
        guard index >= 0, index < count else { return nil }
        switch content {
        case .shelves(let shelves):
            let (name, shelf) = shelves[index]
            let node = Node(shelf: shelf, shownName: name)
            return Item(name: name, number: node.number, kind: .directory, attributes: node.attributes(validFor: shelf.options.timeToLive))
        case .listing(let view, _, let validFor):
            let name = view.snapshot.items[index].shownName
            let entry = view.entry(at: index), number = view.number(at: index)
            var attributes: Attributes?
            if entry.kind == .directory || entry.size != nil {
                attributes = Attributes(number: number, kind: entry.kind, size: entry.shownSize, modified: entry.modified, validFor: validFor)
            }
            return Item(name: name, number: number, kind: entry.kind, attributes: attributes)
        }
    }

    /// The node of an item, as a look-up finds it.
    func itemNode(_ index: Int) -> (node: Node, validFor: Duration)? {
        guard index >= 0, index < count else { return nil }
        switch content {
        case .shelves(let shelves):
            let (name, shelf) = shelves[index]
            return (Node(shelf: shelf, shownName: name), shelf.options.timeToLive)
        case .listing(let view, let directory, let validFor):
            return Node(index, in: view, of: directory, parent: node).map { ($0, validFor) }
        }
    }
}

extension RemoteEntry {
    /// Directories have no size of their own.
    var shownSize: UInt64 { kind == .file ? size ?? 0 : 0 }
}

extension Node {
    /// The item of a listing; `nil`: its size is not known.
    convenience init?(_ index: Int, in view: DirectoryView, of directory: EntryLocator, parent: Node) {
        let item = view.snapshot.items[index]
        self.init(
            view.entry(at: index), number: view.number(at: index), revision: item.revision, shownName: item.shownName, in: parent,
            directory: directory)
    }
}
