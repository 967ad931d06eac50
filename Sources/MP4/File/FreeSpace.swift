internal import Bytes

/// `free` (ISO/IEC 14496-12 §8.1.2): bytes without meaning, zeros here.
package enum FreeSpace {
    /// The least that a `free` box can fill.
    package static let minimum: UInt64 = 8

    /// The header of a `free` box of `size` bytes in all; zeros follow it. `nil` below 8.
    package static func header(size: UInt64) -> [UInt8]? {
        guard size >= minimum else { return nil }
        return MediaData.header("free", size: size)
    }

    /// The whole box, in memory.
    package static func bytes(size: Int) -> [UInt8]? {
        guard size >= 0, let header = header(size: UInt64(size)) else { return nil }
        return header + [UInt8](repeating: 0, count: size - header.count)
    }
}
