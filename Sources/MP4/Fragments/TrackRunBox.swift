/// `trun` (ISO/IEC 14496-12 §8.8.8): samples that follow each other in the file. A column that is `nil` takes what `tfhd`
/// or `trex` says; the others have `count` values.
package struct TrackRunBox: Box, Hashable {
    package static let type: FourCC = "trun"

    package private(set) var count: UInt32
    /// From the base that `tfhd` states; `nil`: behind the run before.
    package var dataOffset: Int32?
    /// Of the first sample alone; not together with `flags`.
    package var firstFlags: SampleFlags?
    package private(set) var durations: [UInt32]?
    package private(set) var sizes: [UInt32]?
    package private(set) var flags: [UInt32]?
    /// From decoding time to presentation time.
    package private(set) var offsets: [Int32]?
    /// Version 1: signed offsets.
    package var isSigned: Bool

    package init(
        count: UInt32, dataOffset: Int32?, firstFlags: SampleFlags? = nil, durations: [UInt32]? = nil, sizes: [UInt32]? = nil,
        flags: [UInt32]? = nil, offsets: [Int32]? = nil, isSigned: Bool = true
    ) {
        self.count = count
        self.dataOffset = dataOffset
        self.firstFlags = firstFlags
        self.durations = durations
        self.sizes = sizes
        self.flags = flags
        self.offsets = offsets
        self.isSigned = isSigned
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        let head = try reader.versionAndFlags()
        isSigned = head.version == 1
        count = try reader.u32()
        if head.flags & 0x1 != 0 { dataOffset = try reader.i32() }
        if head.flags & 0x4 != 0 { firstFlags = SampleFlags(rawValue: try reader.u32()) }
        let columns = [0x100, 0x200, 0x400, 0x800].filter { head.flags & $0 != 0 }.count
        guard columns > 0 else { return }
        let room = try reader.room(for: UInt64(count), entrySize: columns * 4)
        func column<Value>(_ bit: UInt32, of: Value.Type) -> [Value]? {
            guard head.flags & bit != 0 else { return nil }
            var values: [Value] = []
            values.reserveCapacity(room)
            return values
        }
        durations = column(0x100, of: UInt32.self)
        sizes = column(0x200, of: UInt32.self)
        flags = column(0x400, of: UInt32.self)
        offsets = column(0x800, of: Int32.self)
        for _ in 0..<room {
            if durations != nil { durations?.append(try reader.u32()) }
            if sizes != nil { sizes?.append(try reader.u32()) }
            if flags != nil { flags?.append(try reader.u32()) }
            if offsets != nil { offsets?.append(try reader.i32()) }
        }
    }

    package func write(to writer: inout BoxWriter) {
        var bits: UInt32 = dataOffset == nil ? 0 : 0x1
        if firstFlags != nil { bits |= 0x4 }
        if durations != nil { bits |= 0x100 }
        if sizes != nil { bits |= 0x200 }
        if flags != nil { bits |= 0x400 }
        if offsets != nil { bits |= 0x800 }
        writer.fullBox(Self.type, version: isSigned ? 1 : 0, flags: bits) { writer in
            writer.u32(count)
            if let dataOffset { writer.i32(dataOffset) }
            if let firstFlags { writer.u32(firstFlags.rawValue) }
            guard [durations?.count, sizes?.count, flags?.count, offsets?.count].allSatisfy({ $0 == nil || $0 == Int(count) }) else {
                writer.refuse("columns of other lengths than \(count)")
                return
            }
            guard bits & 0xF00 != 0 else { return }
            for index in 0..<Int(count) {
                if let durations { writer.u32(durations[index]) }
                if let sizes { writer.u32(sizes[index]) }
                if let flags { writer.u32(flags[index]) }
                if let offsets { writer.i32(offsets[index]) }
            }
        }
    }
}
