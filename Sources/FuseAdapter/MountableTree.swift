package import SourceAPI
package import VirtualTree

package typealias TreeReply<Value> = @Sendable (Result<Value, TreeError>) -> Void

/// What a mount needs of a tree. `VirtualTree` is one; tests have others. The rules of answering are those of
/// `VirtualTree`: exactly once, inline when memory has the answer, else later from any thread.
package protocol MountableTree: AnyObject, Sendable {
    func setObserver(_ observer: (any TreeObserver)?)
    /// Counts one look-up when it succeeds.
    func lookup(parent: UInt64, name: [UInt8], reply: @escaping TreeReply<Attributes>) -> TreeTask?
    func attributes(of number: UInt64, reply: @escaping TreeReply<Attributes>) -> TreeTask?
    func forget(_ number: UInt64, count: UInt64)
    func openDirectory(_ number: UInt64, reply: @escaping TreeReply<any TreeDirectory>) -> TreeTask?
    func open(_ number: UInt64, reply: @escaping TreeReply<any TreeFile>) -> TreeTask?
    func extendedAttributes(of number: UInt64) -> [(name: String, value: [UInt8])]
    /// For statfs(2).
    func totals() -> (bytes: UInt64, freeBytes: UInt64, files: UInt64)
}

/// An open directory: a snapshot, so that positions stay what they are.
package protocol TreeDirectory: AnyObject, Sendable {
    var number: UInt64 { get }
    var parentNumber: UInt64 { get }
    var count: Int { get }
    /// `nil` outside `0 ..< count`.
    func item(at index: Int) -> DirectoryItem?
    /// Counts one look-up of an item whose attributes are known; `nil`: they are not, and nothing was counted.
    func remember(_ index: Int) -> Attributes?
}

/// One name of a directory.
package struct DirectoryItem: Sendable {
    package let name: [UInt8]
    package let number: UInt64
    package let kind: RemoteEntry.Kind

    package init(name: [UInt8], number: UInt64, kind: RemoteEntry.Kind) {
        self.name = name
        self.number = number
        self.kind = kind
    }
}

/// An open file. `read` and `close` as `OpenFile` has them.
package protocol TreeFile: AnyObject, Sendable {
    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
        later: @escaping @Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void
    ) -> ReadOutcome
    func close()
}
