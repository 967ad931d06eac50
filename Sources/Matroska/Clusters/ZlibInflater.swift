private import CZlib

/// Inflates the zlib format (RFC 1950), as ContentCompAlgo 0 stores each frame.
enum ZlibInflater {
    /// The first guess of what a small frame inflates to; text grows two to four times.
    private static let firstRoom = 4 << 10
    private static let largestRoom = 1 << 20

    /// - Returns: `nil` when `bytes` are damaged, end early, or give more than `limit` bytes. What follows the stream's end is
    ///   left alone.
    /// - Complexity: memory for at most `limit` bytes and one room of 1 MiB more.
    static func inflate(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
        guard bytes.count <= Int(UInt32.max), limit >= 0 else { return nil }
        // zlib remembers where its state stands.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard shim_inflate_init(stream) == Z_OK else { return nil }
        defer { inflateEnd(stream) }
        return bytes.withUnsafeBufferPointer { input in
            // It takes a pointer to mutable bytes and does not write to them.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            return output(of: stream, firstRoom: min(largestRoom, max(firstRoom, 3 * input.count)), limit: limit)
        }
    }

    private static func output(of stream: UnsafeMutablePointer<z_stream>, firstRoom: Int, limit: Int) -> [UInt8]? {
        var result: [UInt8] = [], room = firstRoom
        while true {
            // One byte more than the limit: tells an output of just the limit from a longer one.
            let count = min(room, limit - result.count + 1)
            var status = Z_BUF_ERROR
            let part = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(count)
                status = CZlib.inflate(stream, Z_NO_FLUSH)
                filled = count - Int(stream.pointee.avail_out)
            }
            guard part.count <= limit - result.count else { return nil }
            if result.isEmpty { result = part } else { result += part }
            if status == Z_STREAM_END { return result }
            // Room was left and the stream goes on: it is cut. Everything but Z_OK is damage.
            guard status == Z_OK, part.count == count else { return nil }
            room = min(2 * room, largestRoom)
        }
    }
}
