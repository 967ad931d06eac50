/// Hears of changes that the kernel may have cached. Called from a thread of the tree that serves no request and holds no lock, one call after
/// another.
package protocol TreeObserver: AnyObject, Sendable {
    /// The name in that directory is gone or names another node now.
    func invalidateEntry(parent: UInt64, name: [UInt8])
    /// What is cached of the node itself (attributes, pages, a directory's list) is out of date.
    func invalidateNode(_ number: UInt64)
}
