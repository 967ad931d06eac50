internal import Glibc

/// pread(2) and pwrite(2) until all is done.
enum FileBytes {
    /// - Returns: 0 or an error number.
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, at offset: UInt64) -> Int32 {
        bytes.withUnsafeBytes { source in
            var done = 0
            while done < source.count {
                let count = pwrite(descriptor, source.baseAddress?.advanced(by: done), source.count - done, off_t(offset) + off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : ENOSPC }
                done += count
            }
            return 0
        }
    }

    /// - Returns: as many bytes as there are, and 0 or an error number.
    static func read(from descriptor: Int32, at offset: UInt64, _ wanted: Int) -> ([UInt8], Int32) {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted {
                let count = pread(descriptor, buffer.baseAddress?.advanced(by: filled), wanted - filled, off_t(offset) + off_t(filled))
                if count < 0, errno == EINTR { continue }
                if count < 0 { failure = errno }
                guard count > 0 else { break }
                filled += count
            }
        }
        return (bytes, failure)
    }
}
