internal import Bytes

/// Reads one box that came from outside, and opens the boxes in it. Every read is checked; errors say where.
package struct BoxReader: Sendable {
    package let type: FourCC
    /// Outside in, this box last.
    private let path: [String]
    private let bytes: [UInt8]
    private var reader: BigEndianReader
    private let fileOffset: UInt64
    private var seen: [FourCC: Int] = [:]

    /// Boxes that one box may hold: far above any film's, below what would cost memory.
    private static let childLimit = 1 << 18
    private var children = 0
    /// Deeper nesting is none of ours.
    private static let depthLimit = 16

    /// A reader of boxes that follow each other in `bytes`, such as the whole of a file's head.
    ///
    /// - Parameter fileOffset: where `bytes` stand in the file, for errors.
    package init(_ bytes: [UInt8], fileOffset: UInt64 = 0) {
        self.init(type: FourCC(rawValue: 0), path: [], bytes: bytes, reader: BigEndianReader(bytes), fileOffset: fileOffset)
    }

    private init(type: FourCC, path: [String], bytes: [UInt8], reader: BigEndianReader, fileOffset: UInt64) {
        self.type = type
        self.path = path
        self.bytes = bytes
        self.reader = reader
        self.fileOffset = fileOffset
    }

    package var remaining: Int { reader.remaining }
    /// Where the next byte stands in the file.
    package var offset: UInt64 { fileOffset + UInt64(reader.position) }

    package func error(_ code: MP4Error.Code, _ detail: String, entry: Int? = nil) -> MP4Error {
        MP4Error(code: code, path: path.joined(separator: ".") + (entry.map { ".entry[\($0)]" } ?? ""), offset: offset, detail: detail)
    }

    /// The next box inside, passed over by this reader; `nil` at the end. Less than a box's header at the end (old programs
    /// close `udta` with four zeros) counts as the end.
    package mutating func child() throws(MP4Error) -> BoxReader? {
        guard remaining >= 8 else {
            reader.skip(remaining)
            return nil
        }
        let start = offset
        let short = reader.u32(), type = FourCC(rawValue: reader.u32())
        let index = seen[type, default: 0]
        seen[type] = index + 1
        children += 1
        guard children <= Self.childLimit else { throw error(.unsupported, "more than \(Self.childLimit) boxes") }
        let name = MP4Error.element(type, index: index)
        func fault(_ code: MP4Error.Code, _ detail: String) -> MP4Error {
            MP4Error(code: code, path: (path + [name]).joined(separator: "."), offset: start, detail: detail)
        }
        guard path.count < Self.depthLimit else { throw fault(.unsupported, "nested too deeply") }
        var size = UInt64(short), head: UInt64 = 8
        if short == 1 {
            size = reader.u64()
            head = 16
            if reader.overran { throw fault(.truncated, "size") }
        } else if short == 0 {
            size = head + UInt64(remaining)
        }
        guard size >= head else { throw fault(.malformed, "size \(size)") }
        guard size - head <= UInt64(remaining), let range = reader.range(Int(size - head)) else {
            throw fault(.truncated, "size \(size), but \(remaining) bytes are left")
        }
        return BoxReader(
            type: type, path: path + [name], bytes: bytes, reader: BigEndianReader(bytes, range: range), fileOffset: fileOffset)
    }

    private func check() throws(MP4Error) {
        if reader.overran { throw error(.truncated, "ends within its fields") }
    }

    package mutating func u8() throws(MP4Error) -> UInt8 {
        let value = reader.u8()
        try check()
        return value
    }

    package mutating func u16() throws(MP4Error) -> UInt16 {
        let value = reader.u16()
        try check()
        return value
    }

    package mutating func u24() throws(MP4Error) -> UInt32 {
        let value = reader.u24()
        try check()
        return value
    }

    package mutating func u32() throws(MP4Error) -> UInt32 {
        let value = reader.u32()
        try check()
        return value
    }

    package mutating func u64() throws(MP4Error) -> UInt64 {
        let value = reader.u64()
        try check()
        return value
    }

    package mutating func i64() throws(MP4Error) -> Int64 { Int64(bitPattern: try u64()) }
    package mutating func i16() throws(MP4Error) -> Int16 { Int16(bitPattern: try u16()) }
    package mutating func i32() throws(MP4Error) -> Int32 { Int32(bitPattern: try u32()) }
    package mutating func code() throws(MP4Error) -> FourCC { FourCC(rawValue: try u32()) }

    /// 64 bits where `isLong`, else 32, whose all ones (unknown) become all ones.
    package mutating func time(isLong: Bool) throws(MP4Error) -> UInt64 {
        if isLong { return try u64() }
        let short = try u32()
        return short == .max ? .max : UInt64(short)
    }

    package mutating func bytes(_ count: Int) throws(MP4Error) -> [UInt8] {
        let value = reader.bytes(count)
        try check()
        return value
    }

    package mutating func skip(_ count: Int) throws(MP4Error) {
        reader.skip(count)
        try check()
    }

    /// The next four bytes without passing over them; `nil` when there are fewer.
    var peek32: UInt32? {
        var copy = reader
        let value = copy.u32()
        return copy.overran ? nil : value
    }

    package mutating func rest() -> [UInt8] { reader.rest() }

    /// UTF-8 up to a zero byte or the end, bytes that are no UTF-8 replaced.
    package mutating func text() -> String {
        let all = reader.rest()
        return String(decoding: all.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Version and flags of a full box.
    package mutating func versionAndFlags(atMost limit: UInt8 = 1) throws(MP4Error) -> (version: UInt8, flags: UInt32) {
        let version = try u8()
        guard version <= limit else { throw error(.unsupported, "version \(version)") }
        return (version, try u24())
    }

    /// A 32-bit count of entries of `size` bytes, which the box must have room for.
    package mutating func count(entrySize size: Int) throws(MP4Error) -> Int {
        try room(for: UInt64(u32()), entrySize: size)
    }

    /// `count` if the box has room for so many entries of `size` bytes.
    package func room(for count: UInt64, entrySize size: Int) throws(MP4Error) -> Int {
        guard size > 0, count <= UInt64(remaining / size) else {
            throw error(.truncated, "\(count) entries of \(size) bytes announced, \(remaining) bytes are left", entry: remaining / max(size, 1))
        }
        return Int(count)
    }

    /// All boxes that are left, as they are.
    package mutating func rawChildren() throws(MP4Error) -> [RawBox] {
        var boxes: [RawBox] = []
        while var box = try child() { boxes.append(RawBox(rest: &box)) }
        return boxes
    }
}
