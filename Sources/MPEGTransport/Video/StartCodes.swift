/// Looks for 00 00 01, which begins each unit of H.264, HEVC and MPEG-2 video.
enum StartCodes {
    /// The first index at or behind `start` where 00 00 01 stands, else `nil`.
    static func next(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        let end = bytes.count - 2
        while index < end {
            // Eight bytes without a zero hold no start code, and none begins in them.
            while index + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                guard (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 == 0 else { break }
                index += 8
            }
            let stop = min(end, index + 8)
            while index < stop {
                if bytes[index + 2] > 1 {
                    index += 3
                } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
                    return index
                } else {
                    index += 1
                }
            }
        }
        return nil
    }
}
