/// A box of known structure (ISO/IEC 14496-12 §4.2): written as it is read.
package protocol Box: Sendable {
    static var type: FourCC { get }

    /// - Parameter reader: at the first byte behind size and type. What is behind the known fields is left alone.
    init(from reader: inout BoxReader) throws(MP4Error)

    /// Writes the whole box, size and type included.
    func write(to writer: inout BoxWriter)
}

extension Box {
    /// The whole box.
    ///
    /// - Throws: `.unrepresentable` if a field cannot hold its value.
    package func bytes() throws(MP4Error) -> [UInt8] { try BoxWriter.bytes { write(to: &$0) } }

    /// Size of the whole box, counted without storing it.
    package var size: UInt64 { BoxWriter.size { write(to: &$0) } }

    /// From a whole box that stands at the start of `bytes`.
    ///
    /// - Parameter fileOffset: where `bytes` stand in the file, for errors.
    package init(bytes: [UInt8], fileOffset: UInt64 = 0) throws(MP4Error) {
        var root = BoxReader(bytes, fileOffset: fileOffset)
        guard var box = try root.child() else { throw root.error(.truncated, "no box") }
        guard box.type == Self.type else { throw box.error(.malformed, "expected \(Self.type)") }
        try self.init(from: &box)
    }
}

/// A box carried as it is: decoder configurations, and what is not known.
package struct RawBox: Hashable, Sendable {
    package let type: FourCC
    /// Without size and type.
    package let payload: [UInt8]

    package init(type: FourCC, payload: [UInt8]) {
        self.type = type
        self.payload = payload
    }

    package init(_ box: some Box) throws(MP4Error) {
        let bytes = try box.bytes()
        self.init(type: Swift.type(of: box).type, payload: Array(bytes.dropFirst(8)))
    }

    /// What is left of the reader's box.
    init(rest reader: inout BoxReader) { self.init(type: reader.type, payload: reader.rest()) }

    package func write(to writer: inout BoxWriter) { writer.box(type) { $0.bytes(payload) } }

    /// The box understood as `Kind`; `nil` if it is another box or damaged.
    package func parsed<Kind: Box>(as kind: Kind.Type) -> Kind? {
        guard type == Kind.type else { return nil }
        guard let bytes = try? BoxWriter.bytes({ write(to: &$0) }) else { return nil }
        return try? Kind(bytes: bytes)
    }
}
