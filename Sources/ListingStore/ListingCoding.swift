internal import Bytes
internal import SourceAPI

/// A directory listing as bytes: compact, versioned, checksummed.
///
/// Byte 0 is the format (1), then the CRC32C of what follows it (4 bytes, little-endian). Then the quota, the count of
/// entries, and the entries. Numbers are LEB128; signed ones are zigzag-coded. Locator and cache key state how many
/// bytes they share with those of the entry before, which is most of them.
enum ListingCoding {
    private static let format: UInt8 = 1
    /// Which optional fields an entry has.
    private static let hasSize: UInt64 = 2, hasModified: UInt64 = 4, hasTag: UInt64 = 8, hasType: UInt64 = 16
    /// The least bytes an entry takes: a count that promises more entries than that is no listing.
    private static let smallestEntry = 6

    static func encode(_ listing: DirectoryListing) -> [UInt8] {
        var writer = ByteWriter()
        writer.bytes.reserveCapacity(64 + listing.entries.count * 80)
        writer.number(UInt64((listing.quota == nil ? 0 : 1) | (listing.quota?.used == nil ? 0 : 2) | (listing.quota?.available == nil ? 0 : 4)))
        writer.number(listing.quota?.used ?? 0)
        writer.number(listing.quota?.available ?? 0)
        writer.number(UInt64(listing.entries.count))
        var locator: [UInt8] = []
        var cacheKey: [UInt8] = []
        for entry in listing.entries {
            var flags = UInt64(entry.kind == .directory ? 1 : 0)
            if entry.size != nil { flags |= hasSize }
            if entry.modified != nil { flags |= hasModified }
            if entry.entityTag != nil { flags |= hasTag }
            if entry.mediaType != nil { flags |= hasType }
            writer.number(flags)
            writer.text(entry.name)
            locator = writer.text(Array(entry.locator.text.utf8), after: locator)
            cacheKey = writer.text(Array(entry.cacheKey.utf8), after: cacheKey)
            if let size = entry.size { writer.number(size) }
            if let modified = entry.modified { writer.signed(modified.seconds) }
            if let tag = entry.entityTag { writer.text(tag.utf8) }
            if let type = entry.mediaType { writer.text(type.utf8) }
        }
        return [format] + check(writer.bytes) + writer.bytes
    }

    /// `nil` when the bytes are not one whole, undamaged listing of this format.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> DirectoryListing? {
        guard bytes.count > 5, bytes[0] == format else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: bytes[5...])
        guard bytes[1..<5].elementsEqual(check(body)) else { return nil }
        var reader = ByteReader(bytes: body)
        guard let quotaFlags = reader.number(), let used = reader.number(), let available = reader.number(), let count = reader.number(),
            count <= UInt64(body.count / smallestEntry)
        else { return nil }
        var entries: [RemoteEntry] = []
        entries.reserveCapacity(Int(count))
        var locator: [UInt8] = []
        var cacheKey: [UInt8] = []
        for _ in 0..<count {
            guard let flags = reader.number(), let name = reader.text(), reader.text(after: &locator), reader.text(after: &cacheKey),
                let place = String(validating: locator, as: UTF8.self), let key = String(validating: cacheKey, as: UTF8.self)
            else { return nil }
            var entry = RemoteEntry(name: Array(name), kind: flags & 1 == 1 ? .directory : .file, locator: EntryLocator(place), cacheKey: key)
            if flags & hasSize != 0 {
                guard let size = reader.number() else { return nil }
                entry.size = size
            }
            if flags & hasModified != 0 {
                guard let seconds = reader.signed() else { return nil }
                entry.modified = UnixTime(seconds: seconds)
            }
            if flags & hasTag != 0 {
                guard let tag = reader.text() else { return nil }
                entry.entityTag = String(decoding: tag, as: UTF8.self)
            }
            if flags & hasType != 0 {
                guard let type = reader.text() else { return nil }
                entry.mediaType = String(decoding: type, as: UTF8.self)
            }
            entries.append(entry)
        }
        guard reader.isAtEnd else { return nil }
        let quota =
            quotaFlags & 1 == 0
            ? nil : DirectoryListing.Quota(used: quotaFlags & 2 == 0 ? nil : used, available: quotaFlags & 4 == 0 ? nil : available)
        return DirectoryListing(entries: entries, quota: quota)
    }

    private static func check(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { check($0) } }

    private static func check(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var crc = CRC32C()
        crc.update(bytes)
        return withUnsafeBytes(of: crc.value.littleEndian) { Array($0) }
    }
}

private struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func signed(_ value: Int64) { number(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    mutating func text(_ text: some Collection<UInt8>) {
        number(UInt64(text.count))
        bytes += text
    }

    /// Only what differs from the start of `previous`. Returns the text.
    mutating func text(_ text: [UInt8], after previous: [UInt8]) -> [UInt8] {
        var shared = 0
        while shared < text.count, shared < previous.count, text[shared] == previous[shared] { shared += 1 }
        number(UInt64(shared))
        self.text(text[shared...])
        return text
    }
}

private struct ByteReader {
    let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func number() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 127) << shift
            if byte < 128 { return value }
            shift += 7
        }
        return nil
    }

    mutating func signed() -> Int64? { number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) } }

    mutating func text() -> UnsafeRawBufferPointer? {
        guard let count = number(), count <= UInt64(bytes.count - position) else { return nil }
        defer { position += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + Int(count))])
    }

    /// Puts the text in place of `previous`. False at the end of the bytes.
    mutating func text(after previous: inout [UInt8]) -> Bool {
        guard let shared = number(), shared <= UInt64(previous.count), let rest = text() else { return false }
        previous.removeSubrange(Int(shared)...)
        previous += rest
        return true
    }
}
