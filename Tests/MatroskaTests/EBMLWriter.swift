@testable import Matroska

/// Writes elements for the tests: the reverse of what is tested, kept apart from it.
enum EBML {
    /// A Data Size in as few bytes as it takes, or in `length`.
    static func size(_ value: UInt64, length: Int? = nil) -> [UInt8] {
        var count = length ?? 1
        // The value of all ones means "unknown".
        while length == nil, count < 8, value >= UInt64(1) << (7 * count) - 1 { count += 1 }
        return bigEndian(value | UInt64(1) << (7 * count), count: count)
    }

    static func unknownSize(length: Int = 8) -> [UInt8] { bigEndian(UInt64(1) << (7 * length + 1) - 1, count: length) }

    static func bigEndian(_ value: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }

    static func id(_ id: ElementID) -> [UInt8] { bigEndian(UInt64(id.rawValue), count: (39 - id.rawValue.leadingZeroBitCount) / 8) }

    static func binary(_ id: ElementID, _ data: [UInt8], sizeLength: Int? = nil) -> [UInt8] {
        EBML.id(id) + size(UInt64(data.count), length: sizeLength) + data
    }

    static func master(_ id: ElementID, _ children: [UInt8]..., checksum: Bool = false, sizeLength: Int? = nil) -> [UInt8] {
        let data = Array(children.joined())
        guard checksum else { return binary(id, data, sizeLength: sizeLength) }
        let value = slowChecksum(data)
        return binary(id, binary(.crc32, bigEndian(UInt64(value.byteSwapped), count: 4)) + data, sizeLength: sizeLength)
    }

    /// A master whose size is open.
    static func open(_ id: ElementID, _ children: [UInt8]..., length: Int = 8) -> [UInt8] {
        EBML.id(id) + unknownSize(length: length) + Array(children.joined())
    }

    static func unsigned(_ id: ElementID, _ value: UInt64, count: Int? = nil) -> [UInt8] {
        let least = max(1, (71 - value.leadingZeroBitCount) / 8)
        return binary(id, bigEndian(value, count: count ?? least))
    }

    static func signed(_ id: ElementID, _ value: Int64, count: Int = 8) -> [UInt8] {
        binary(id, bigEndian(UInt64(bitPattern: value), count: count))
    }

    static func float(_ id: ElementID, _ value: Double) -> [UInt8] { binary(id, bigEndian(value.bitPattern, count: 8)) }
    static func text(_ id: ElementID, _ value: String) -> [UInt8] { binary(id, Array(value.utf8)) }
    static func void(_ count: Int) -> [UInt8] { binary(.void, [UInt8](repeating: 0xEC, count: count)) }

    static func header(_ docType: String = "matroska", readVersion: UInt64 = 2) -> [UInt8] {
        master(
            .ebml, unsigned(.ebmlVersion, 1), unsigned(.ebmlReadVersion, 1), unsigned(.ebmlMaxIDLength, 4), unsigned(.ebmlMaxSizeLength, 8),
            text(.docType, docType), unsigned(.docTypeVersion, 4), unsigned(.docTypeReadVersion, readVersion))
    }

    /// A block's bytes; `track` below 127.
    static func block(_ track: UInt64, _ time: Int16, flags: UInt8 = 0, _ payload: [UInt8]) -> [UInt8] {
        size(track) + bigEndian(UInt64(UInt16(bitPattern: time)), count: 2) + [flags] + payload
    }

    static func simpleBlock(_ track: UInt64, _ time: Int16, key: Bool = false, flags: UInt8 = 0, _ payload: [UInt8]) -> [UInt8] {
        binary(.simpleBlock, block(track, time, flags: flags | (key ? 0x80 : 0), payload))
    }

    /// Bit by bit, from the polynomial.
    static func slowChecksum(_ bytes: [UInt8]) -> UInt32 {
        var state = UInt32.max
        for byte in bytes {
            state ^= UInt32(byte)
            for _ in 0..<8 { state = state & 1 == 0 ? state >> 1 : state >> 1 ^ 0xEDB8_8320 }
        }
        return ~state
    }
}
