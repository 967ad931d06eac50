/// An element that is whole in memory, with the place it came from, for its values and children.
struct ElementBody {
    let id: ElementID
    let bytes: ArraySlice<UInt8>
    /// The place of the first data byte.
    let position: UInt64
    /// From the outermost element down to this one.
    let path: [ElementID]

    func error(_ code: MatroskaError.Code, _ detail: String = "") -> MatroskaError {
        MatroskaError(code, path, offset: position, detail: detail)
    }

    /// An Unsigned Integer (RFC 8794 §7.2); `fallback` stands for an empty one (§6.1).
    func unsigned(_ fallback: UInt64 = 0) throws(MatroskaError) -> UInt64 {
        guard bytes.count <= 8 else { throw error(.badValue, "an integer of \(bytes.count) bytes") }
        return bytes.isEmpty ? fallback : bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A Signed Integer, two's complement (RFC 8794 §7.1).
    func signed(_ fallback: Int64 = 0) throws(MatroskaError) -> Int64 {
        guard let first = bytes.first else { return fallback }
        let value = try unsigned()
        let shift = UInt64(64 - 8 * bytes.count)
        return first & 0x80 == 0 ? Int64(bitPattern: value) : Int64(bitPattern: value << shift) >> Int64(shift)
    }

    func flag(_ fallback: Bool = false) throws(MatroskaError) -> Bool { try unsigned(fallback ? 1 : 0) != 0 }

    /// A Float of 0, 4 or 8 bytes (RFC 8794 §7.3), finite.
    func float(_ fallback: Double = 0) throws(MatroskaError) -> Double {
        let value: Double
        switch bytes.count {
        case 0: return fallback
        case 4: value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: try unsigned())))
        case 8: value = Double(bitPattern: try unsigned())
        default: throw error(.badValue, "a float of \(bytes.count) bytes")
        }
        guard value.isFinite else { throw error(.badValue, "not a finite number") }
        return value
    }

    /// A Date (RFC 8794 §7.6): nanoseconds since 2001-01-01T00:00:00 UTC.
    func date() throws(MatroskaError) -> Int64 {
        guard bytes.isEmpty || bytes.count == 8 else { throw error(.badValue, "a date of \(bytes.count) bytes") }
        return try signed()
    }

    /// A String or UTF-8 (RFC 8794 §7.4, §7.5), without what follows a zero byte; what is not UTF-8 becomes U+FFFD.
    var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

    var children: ElementChildren { ElementChildren(of: self) }

    /// Whether a CRC-32 child that stands first disagrees with the bytes behind it (RFC 8794 §11.3.1).
    var hasWrongChecksum: Bool {
        guard case .header(let header) = ElementHeader.parse(bytes, position: 0), header.id == .crc32, header.size == 4 else { return false }
        guard bytes.count >= Int(header.length) + 4 else { return false }
        let stored = bytes.dropFirst(Int(header.length)).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return CRC32.of(bytes.dropFirst(Int(header.length) + 4)) != stored
    }
}

/// The children of a master element in memory, one by one; Void and CRC-32 are passed over.
struct ElementChildren {
    private let parent: ElementBody
    private var rest: ArraySlice<UInt8>

    init(of parent: ElementBody) {
        self.parent = parent
        rest = parent.bytes
    }

    private var position: UInt64 { sum(parent.position, UInt64(parent.bytes.count - rest.count)) }

    mutating func next() throws(MatroskaError) -> ElementBody? {
        while !rest.isEmpty {
            let header: ElementHeader
            switch ElementHeader.parse(rest, position: position) {
            case .header(let parsed): header = parsed
            case .short: throw MatroskaError(.overrun, parent.path, offset: position, detail: "a child's header is cut")
            case .invalid(let code): throw MatroskaError(code, parent.path, offset: position)
            }
            let path = parent.path + [header.id]
            guard let size = header.size else { throw MatroskaError(.unknownSize, path, offset: position) }
            let room = rest.count - Int(header.length)
            guard size <= UInt64(room) else { throw MatroskaError(.overrun, path, offset: position, detail: "\(size) bytes in \(room)") }
            let data = rest.dropFirst(Int(header.length)).prefix(Int(size))
            rest = rest.dropFirst(Int(header.length) + Int(size))
            if header.id == .void || header.id == .crc32 { continue }
            return ElementBody(id: header.id, bytes: data, position: header.dataStart, path: path)
        }
        return nil
    }
}
