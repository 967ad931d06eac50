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

    package let number: UInt64
    /// For `..`; the root's is its own.
    package let parentNumber: UInt64
    package let count: Int
    private let items: @Sendable (Int) -> Item
    let nodes: @Sendable (Int) -> Node?

    init(
        number: UInt64, parentNumber: UInt64, count: Int, items: @escaping @Sendable (Int) -> Item, nodes: @escaping @Sendable (Int) -> Node?
    ) {
        self.number = number
        self.parentNumber = parentNumber
        self.count = count
        self.items = items
        self.nodes = nodes
    }

    /// The item at a position, the same for as long as the handle lives; `nil` outside `0 ..< count`.
    package subscript(index: Int) -> Item? { index >= 0 && index < count ? items(index) : nil }
}
