internal import Bytes

/// What the first bytes of a map file state: whose blocks these are. Written once, before the first block.
///
/// `reelmap1`, then little-endian: count and CRC32C of the rest (32 bits each); generation and size (64 bits each); key,
/// tag, pinned text, source, path, each as a 32-bit count and UTF-8.
struct ObjectHeader: Hashable, Sendable {
    var generation: UInt64
    var key: String
    var version: ObjectVersion
    var pinned: String
    var label: ObjectLabel

    /// Room for it in the map file; the blocks' checksums follow. Most of it is a hole.
    static let area = 65536
    private static let magic = Array("reelmap1".utf8)

    /// `nil` when it does not fit the area.
    func encoded() -> [UInt8]? {
        var body: [UInt8] = []
        ObjectHeader.append(generation, to: &body)
        ObjectHeader.append(version.size, to: &body)
        for text in [key, version.tag, pinned, label.source, label.path] {
            guard body.count + text.utf8.count + 4 <= ObjectHeader.area - 16 else { return nil }
            ObjectHeader.append(UInt32(text.utf8.count), to: &body)
            body += text.utf8
        }
        var bytes = ObjectHeader.magic
        ObjectHeader.append(UInt32(body.count), to: &bytes)
        ObjectHeader.append(ObjectHeader.check(body[...]), to: &bytes)
        return bytes + body
    }

    /// `nil` when the bytes are not one whole, undamaged header.
    init?(decoding bytes: [UInt8]) {
        guard bytes.starts(with: ObjectHeader.magic) else { return nil }
        var position = ObjectHeader.magic.count
        func number(_ count: Int) -> UInt64? {
            guard bytes.count - position >= count else { return nil }
            defer { position += count }
            return bytes[position..<(position + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        func text() -> String? {
            guard let count = number(4), count <= UInt64(bytes.count - position) else { return nil }
            defer { position += Int(count) }
            return String(validating: bytes[position..<(position + Int(count))], as: UTF8.self)
        }
        guard let count = number(4), let check = number(4), count <= UInt64(bytes.count - position) else { return nil }
        guard UInt64(ObjectHeader.check(bytes[position..<(position + Int(count))])) == check else { return nil }
        guard let generation = number(8), let size = number(8), let key = text(), let tag = text(), let pinned = text(), let source = text(),
            let path = text()
        else { return nil }
        self.init(
            generation: generation, key: key, version: ObjectVersion(size: size, tag: tag), pinned: pinned,
            label: ObjectLabel(source: source, path: path))
    }

    init(generation: UInt64, key: String, version: ObjectVersion, pinned: String, label: ObjectLabel) {
        self.generation = generation
        self.key = key
        self.version = version
        self.pinned = pinned
        self.label = label
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }

    private static func check(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var crc = CRC32C()
        bytes.withUnsafeBytes { crc.update($0) }
        return crc.value
    }
}
