/// `stsz` (ISO/IEC 14496-12 §8.7.3.2): bytes of each sample. Nothing is stored per sample while all have one size.
package struct SampleSizeBox: Box, Hashable {
    package static let type: FourCC = "stsz"

    /// The one size of all samples; 0 when `listed` has them.
    package private(set) var uniform: UInt32
    package private(set) var listed: [UInt32]
    private var uniformCount: UInt32

    package init() {
        uniform = 0
        listed = []
        uniformCount = 0
    }

    package init(_ sizes: [UInt32]) {
        self.init()
        listed = sizes
    }

    package init(uniform size: UInt32, count: UInt32) {
        uniform = size
        listed = []
        uniformCount = size == 0 ? 0 : count
    }

    package var count: Int { uniform == 0 ? listed.count : Int(uniformCount) }

    /// The size of sample `index`, counted from 0; `nil` past the last one.
    package subscript(index: Int) -> UInt32? {
        guard index >= 0, index < count else { return nil }
        return uniform == 0 ? listed[index] : uniform
    }

    /// One more sample.
    package mutating func append(_ size: UInt32) {
        if count == 0, size > 0 {
            uniform = size
            uniformCount = 1
        } else if uniform > 0, size == uniform {
            uniformCount += 1
        } else {
            if uniform > 0 {
                listed = [UInt32](repeating: uniform, count: Int(uniformCount))
                uniform = 0
            }
            listed.append(size)
        }
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        self.init()
        _ = try reader.versionAndFlags(atMost: 0)
        uniform = try reader.u32()
        if uniform > 0 {
            uniformCount = try reader.u32()
            return
        }
        let count = try reader.count(entrySize: 4)
        listed.reserveCapacity(count)
        for _ in 0..<count { listed.append(try reader.u32()) }
    }

    /// From `stz2` (§8.7.3.3), whose sizes have 4, 8 or 16 bits.
    package init(compact reader: inout BoxReader) throws(MP4Error) {
        self.init()
        _ = try reader.versionAndFlags(atMost: 0)
        try reader.skip(3)
        let bits = try reader.u8()
        guard [4, 8, 16].contains(bits) else { throw reader.error(.malformed, "sizes of \(bits) bits") }
        let announced = UInt64(try reader.u32())
        let bytes = try reader.room(for: (announced * UInt64(bits) + 7) / 8, entrySize: 1)
        listed.reserveCapacity(Int(announced))
        for index in 0..<bytes where bits < 16 {
            let byte = UInt32(try reader.u8())
            if bits == 8 {
                listed.append(byte)
            } else {
                listed.append(byte >> 4)
                if UInt64(index) * 2 + 1 < announced { listed.append(byte & 15) }
            }
        }
        if bits == 16 { for _ in 0..<announced { listed.append(UInt32(try reader.u16())) } }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.u32(uniform)
            writer.count(count)
            for size in listed { writer.u32(size) }
        }
    }
}
