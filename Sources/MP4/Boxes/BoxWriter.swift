internal import Bytes

/// Writes boxes whose sizes are those of what is inside. The same closure can fill memory, be counted without storing
/// anything, or be streamed in small pieces (it then runs twice: sizes first, and must write the same both times).
package struct BoxWriter {
    private enum Mode { case memory, counting, streaming }

    private let mode: Mode
    private var buffer: [UInt8] = []
    /// Bytes that came before `buffer`.
    private var passed: UInt64 = 0
    /// Box sizes in the order in which the boxes begin: found by counting, used by streaming.
    private var sizes: [UInt64] = []
    private var begun = 0
    private var sink: ((UnsafeRawBufferPointer) throws -> Void)?
    private var failure: (any Error)?
    /// Boxes that are open, outside in, each with its number among its siblings of one type.
    private var open: [(type: FourCC, index: Int)] = []
    private var siblings: [[FourCC: Int]] = [[:]]
    /// The first value that its field could not hold.
    package private(set) var refusal: MP4Error?

    /// Tables are passed on in pieces of this size: small beside any buffer of a reader, large beside a system call.
    private static let pieceSize = 65536

    private init(_ mode: Mode) { self.mode = mode }

    /// What `body` writes, in memory.
    ///
    /// - Throws: `.unrepresentable` if a field cannot hold its value.
    package static func bytes(_ body: (inout BoxWriter) -> Void) throws(MP4Error) -> [UInt8] {
        var writer = BoxWriter(.memory)
        body(&writer)
        if let refusal = writer.refusal { throw refusal }
        return writer.buffer
    }

    /// Bytes that `body` writes.
    package static func size(_ body: (inout BoxWriter) -> Void) -> UInt64 { counted(body).position }

    private static func counted(_ body: (inout BoxWriter) -> Void) -> BoxWriter {
        var writer = BoxWriter(.counting)
        body(&writer)
        return writer
    }

    /// Hands the bytes to `sink` piece by piece, each valid during the call. After an error nothing more is handed over.
    ///
    /// - Throws: what `sink` throws; `MP4Error` with `.unrepresentable`, before anything is handed over.
    package static func stream(_ body: (inout BoxWriter) -> Void, into sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
        var writer = BoxWriter(.streaming)
        let counted = counted(body)
        if let refusal = counted.refusal { throw refusal }
        writer.sizes = counted.sizes
        writer.sink = sink
        writer.buffer.reserveCapacity(pieceSize + 1024)
        body(&writer)
        writer.flush()
        if let failure = writer.failure { throw failure }
    }

    /// Bytes written so far.
    package var position: UInt64 { passed + UInt64(buffer.count) }

    private mutating func flush() {
        passed += UInt64(buffer.count)
        defer { buffer.removeAll(keepingCapacity: true) }
        guard mode == .streaming, failure == nil, !buffer.isEmpty else { return }
        do {
            try buffer.withUnsafeBytes { try sink?($0) }
        } catch {
            failure = error
        }
    }

    private mutating func written() {
        if mode != .memory, buffer.count >= Self.pieceSize { flush() }
    }

    /// Notes that a value cannot be stored: what is being written then is of no use, and whoever asked for it gets an error.
    package mutating func refuse(_ detail: String, entry: Int? = nil) {
        guard refusal == nil else { return }
        let path = open.map { MP4Error.element($0.type, index: $0.index) } + (entry.map { ["entry[\($0)]"] } ?? [])
        refusal = MP4Error(code: .unrepresentable, path: path.joined(separator: "."), offset: position, detail: detail)
    }

    /// `value` in the field's width; refused, and zero, if it does not fit.
    package mutating func fit<Field: FixedWidthInteger>(_ value: some BinaryInteger, _ field: String, entry: Int? = nil) -> Field {
        if let exact = Field(exactly: value) { return exact }
        refuse("\(field) \(value) does not fit \(Field.bitWidth) bits", entry: entry)
        return 0
    }

    /// The number of a table's entries, 32 bits.
    package mutating func count(_ value: Int) { u32(fit(value, "count")) }

    package mutating func u8(_ value: UInt8) { number(value) }

    private mutating func number<Number: FixedWidthInteger>(_ value: Number) {
        if mode == .counting {
            passed += UInt64(Number.bitWidth / 8)
            return
        }
        buffer.append(bigEndian: value)
        written()
    }

    package mutating func u16(_ value: UInt16) { number(value) }
    package mutating func u32(_ value: UInt32) { number(value) }
    package mutating func u64(_ value: UInt64) { number(value) }
    package mutating func i16(_ value: Int16) { number(value) }
    package mutating func i32(_ value: Int32) { number(value) }
    package mutating func i64(_ value: Int64) { number(value) }

    package mutating func u24(_ value: UInt32) {
        buffer.append(bigEndian24: value)
        written()
    }

    package mutating func code(_ value: FourCC) { u32(value.rawValue) }

    package mutating func bytes(_ values: some Collection<UInt8>) {
        buffer.append(contentsOf: values)
        written()
    }

    /// UTF-8 with a zero byte at its end; text that has one within is refused.
    package mutating func text(_ value: String) {
        if value.utf8.contains(0) { refuse("text with a zero byte") }
        bytes(value.utf8)
        u8(0)
    }

    package mutating func zeros(_ count: Int) { for _ in 0..<count { u8(0) } }

    /// 64 bits where `isLong`, else 32, to which larger values are cut: all ones, which means unknown.
    package mutating func time(_ value: UInt64, isLong: Bool) {
        if isLong { u64(value) } else { u32(UInt32(exactly: value) ?? .max) }
    }

    /// A box around what `body` writes. Its size takes 64 bits only if it must.
    package mutating func box(_ type: FourCC, _ body: (inout BoxWriter) -> Void) {
        let level = siblings.count - 1, index = siblings[level][type, default: 0]
        siblings[level][type] = index + 1
        open.append((type, index))
        siblings.append([:])
        defer {
            open.removeLast()
            siblings.removeLast()
        }
        switch mode {
        case .memory:
            let start = buffer.count
            u32(0)
            code(type)
            body(&self)
            let size = buffer.count - start
            if let short = UInt32(exactly: size) {
                buffer.put(bigEndian: short, at: start)
            } else {
                buffer.put(bigEndian: 1, at: start)
                var long: [UInt8] = []
                long.append(bigEndian: UInt64(size + 8))
                buffer.insert(contentsOf: long, at: start + 8)
            }
        case .counting:
            let slot = sizes.count, start = position
            sizes.append(0)
            zeros(8)
            body(&self)
            if position - start > UInt64(UInt32.max) { passed += 8 }
            sizes[slot] = position - start
        case .streaming:
            let size = begun < sizes.count ? sizes[begun] : 0
            begun += 1
            u32(UInt32(exactly: size) ?? 1)
            code(type)
            if size > UInt64(UInt32.max) { u64(size) }
            body(&self)
        }
    }

    /// A box with version and flags (ISO/IEC 14496-12 §4.2).
    package mutating func fullBox(_ type: FourCC, version: UInt8 = 0, flags: UInt32 = 0, _ body: (inout BoxWriter) -> Void) {
        box(type) { writer in
            writer.u8(version)
            writer.u24(flags)
            body(&writer)
        }
    }
}
