/// Which version of an object is meant: blocks of two versions never meet.
package struct ObjectVersion: Hashable, Sendable {
    package let size: UInt64
    /// Opaque: everything that the listing says of the version.
    package let tag: String

    package init(size: UInt64, tag: String) {
        self.size = size
        self.tag = tag
    }
}

/// What people call an object. It has no part in its identity.
package struct ObjectLabel: Hashable, Sendable {
    package let source: String
    package let path: String

    package init(source: String, path: String) {
        self.source = source
        self.path = path
    }
}
