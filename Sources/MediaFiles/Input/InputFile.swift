internal import Bytes
internal import Glibc

/// A source that is read by position. Not for use by two threads at once.
final class InputFile {
    let path: String
    let size: UInt64
    private let descriptor: Int32

    init(path: String) throws(MediaFileError) {
        self.path = path
        // Without O_NONBLOCK a named pipe would wait here for somebody to write into it; to files it means nothing.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw MediaFileError(.unreadable, path: path, String(cString: strerror(errno))) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw MediaFileError(.unreadable, path: path, reason)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw MediaFileError(.unreadable, path: path, "not a regular file; save it first, then try again")
        }
        size = UInt64(max(status.st_size, 0))
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    }

    deinit { close(descriptor) }

    /// Whether another path leads to the same file.
    func isSame(as other: String) -> Bool {
        var mine = stat(), theirs = stat()
        return fstat(descriptor, &mine) == 0 && stat(other, &theirs) == 0 && mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino
    }

    /// The bytes of a range, as far as the file has them.
    func read(_ range: FileRange) throws(MediaFileError) -> [UInt8] {
        guard range.offset < size else { return [] }
        let wanted = Int(min(range.count, size - range.offset))
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted {
                let count = pread(descriptor, buffer.baseAddress?.advanced(by: filled), wanted - filled, off_t(range.offset) + off_t(filled))
                if count < 0, errno == EINTR { continue }
                if count < 0 { failure = errno }
                guard count > 0 else { break }
                filled += count
            }
        }
        guard failure == 0 else {
            throw MediaFileError(.unreadable, path: path, "reading at \(range.offset): \(String(cString: strerror(failure)))")
        }
        guard bytes.count == wanted else {
            throw MediaFileError(
                .unreadable, path: path, "it became shorter while it was read: \(range.offset + UInt64(bytes.count)) bytes are left of \(size)")
        }
        return bytes
    }
}
