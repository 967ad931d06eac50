internal import CLinux
internal import Glibc

/// Bytes that wait on the disk, beside the result, for there is no room in memory. The file has no name. Not for two threads at once.
final class SpoolFile {
    private let path: String
    private let descriptor: Int32
    private var size: UInt64 = 0

    /// - Parameter output: the file that the bytes will go to: they wait in the same file system.
    init(beside output: OutputFile) throws(MediaFileError) {
        path = output.path
        descriptor = try output.unnamed()
    }

    deinit { close(descriptor) }

    /// - Returns: where they stand.
    func append(_ bytes: ArraySlice<UInt8>) throws(MediaFileError) -> UInt64 {
        let offset = size
        let failure = FileBytes.write(bytes, to: descriptor, at: offset)
        guard failure == 0 else { throw OutputFile.unwritable(path, failure) }
        size += UInt64(bytes.count)
        return offset
    }

    func read(at offset: UInt64, _ count: Int) throws(MediaFileError) -> [UInt8] {
        let (bytes, failure) = FileBytes.read(from: descriptor, at: offset, count)
        guard bytes.count == count else { throw OutputFile.unwritable(path, failure == 0 ? EIO : failure) }
        return bytes
    }

    /// Nothing in it is needed any more.
    func clear() {
        ftruncate(descriptor, 0)
        size = 0
    }
}

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
