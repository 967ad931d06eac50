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
