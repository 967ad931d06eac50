internal import CLinux
internal import Glibc

/// A file that gets its name only when it is whole.
///
/// Until then it has none at all where the file system can do that (O_TMPFILE), so that not even kill -9 leaves anything
/// behind; else it is `.NAME.XXXXXX.part` beside its place, which is removed when it is given up. Not for two threads at once.
final class OutputFile {
    let path: String
    /// Bytes written so far, those in the buffer included.
    private(set) var size: UInt64 = 0
    private let replaces: Bool
    private let descriptor: Int32
    /// `nil` while the file has no name.
    private var partPath: String?
    private var isFinished = false
    private var buffer: [UInt8] = []
    /// Up to here the kernel was asked to write to the disk, so that the sync at the end has little left to do.
    private var begun: UInt64 = 0

    private static let bufferBytes = 1 << 20
    private static let writingBytes: UInt64 = 16 << 20

    /// - Parameter replaces: an existing file is replaced when this one is finished.
    init(path: String, replaces: Bool) throws(MediaFileError) {
        try Self.check(path: path, replaces: replaces)
        self.path = path
        self.replaces = replaces
        let (directory, name) = Self.split(path)
        // With the dot, a link to a directory is as good.
        let unnamed = reelfs_openat(AT_FDCWD, directory + "/.", O_RDWR | Self.unnamed | O_CLOEXEC, 0o666)
        if unnamed >= 0 {
            descriptor = unnamed
        } else {
            let part = Self.partPath(directory, name)
            descriptor = reelfs_openat(AT_FDCWD, part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw Self.unwritable(path, errno) }
            UnfinishedFiles.add(part)
            partPath = part
        }
        buffer.reserveCapacity(Self.bufferBytes * 2)
    }

    deinit {
        if !isFinished, let partPath { Self.remove(partPath) }
        close(descriptor)
    }

    /// A file without a name in the same directory, for reading and writing.
    func unnamed() throws(MediaFileError) -> Int32 {
        let (directory, name) = Self.split(path)
        let unnamed = reelfs_openat(AT_FDCWD, directory + "/.", O_RDWR | Self.unnamed | O_CLOEXEC, 0o600)
        if unnamed >= 0 { return unnamed }
        let part = Self.partPath(directory, name)
        let named = reelfs_openat(AT_FDCWD, part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard named >= 0 else { throw unwritable(errno) }
        unlink(part)
        return named
    }

    /// O_TMPFILE, which the Glibc module lacks.
    private static let unnamed: Int32 = 0o20000000 | O_DIRECTORY

    func append(_ bytes: [UInt8]) throws(MediaFileError) { try append(bytes[...]) }

    func append(_ bytes: ArraySlice<UInt8>) throws(MediaFileError) {
        if bytes.count >= Self.bufferBytes / 4 {
            try flush()
            try write(bytes, at: size)
        } else {
            buffer += bytes
        }
        size += UInt64(bytes.count)
        if buffer.count >= Self.bufferBytes { try flush() }
        if size - UInt64(buffer.count) >= begun + Self.writingBytes {
            let end = size - UInt64(buffer.count)
            reelfs_start_writing(descriptor, Int64(begun), Int64(end - begun))
            begun = end
        }
    }

    private func flush() throws(MediaFileError) {
        guard !buffer.isEmpty else { return }
        try write(buffer[...], at: size - UInt64(buffer.count))
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes over what is there already.
    func replace(_ bytes: [UInt8], at offset: UInt64) throws(MediaFileError) {
        try flush()
        try write(bytes[...], at: offset)
    }

    private func write(_ bytes: ArraySlice<UInt8>, at offset: UInt64) throws(MediaFileError) {
        let failure = FileBytes.write(bytes, to: descriptor, at: offset)
        guard failure == 0 else { throw unwritable(failure) }
    }

    /// Moves all that stands from `offset` on further back, by `count` bytes; what is then in between is undefined.
    func makeRoom(at offset: UInt64, _ count: UInt64, isCancelled: () -> Bool) throws(MediaFileError) {
        try flush()
        let step: UInt64 = 4 << 20
        var end = size
        var bytes: [UInt8] = []
        while end > offset {
            if isCancelled() { throw MediaFileError(.cancelled, path: path, "stopped") }
            let start = end - offset > step ? end - step : offset
            try readBack(&bytes, at: start, Int(end - start))
            try write(bytes[...], at: start + count)
            end = start
        }
        size += count
    }

    private func readBack(_ bytes: inout [UInt8], at offset: UInt64, _ wanted: Int) throws(MediaFileError) {
        let failure: Int32
        (bytes, failure) = FileBytes.read(from: descriptor, at: offset, wanted)
        guard bytes.count == wanted else { throw unwritable(failure == 0 ? EIO : failure) }
    }

    /// Makes sure that all bytes are on the disk.
    func sync() throws(MediaFileError) {
        try flush()
        guard fdatasync(descriptor) == 0 else { throw unwritable(errno) }
    }

    /// Syncs the file and gives it its name.
    ///
    /// - Throws: `.exists` when something came to stand there meanwhile that must not be replaced.
    func finish() throws(MediaFileError) {
        try sync()
        let failure = replaces ? replace() : name()
        guard failure != EEXIST else {
            throw MediaFileError(.exists, path: path, "something came to stand there meanwhile; --force replaces it")
        }
        guard failure == 0 else { throw unwritable(failure) }
        isFinished = true
        if let partPath { UnfinishedFiles.forget(partPath) }
    }

    /// Takes the name back from a finished file, unless it had replaced another.
    func withdraw() { if isFinished, !replaces { unlink(path) } }

    /// - Returns: 0 or an error number.
    private func name() -> Int32 {
        guard let partPath else { return link(as: path) }
        return Self.moveIntoPlace(partPath, path)
    }

    /// A file without a name cannot replace another in one step: it gets one beside it first.
    private func replace() -> Int32 {
        if partPath == nil {
            let (directory, name) = Self.split(path)
            let part = Self.partPath(directory, name)
            UnfinishedFiles.add(part)
            let failure = link(as: part)
            guard failure == 0 else { return failure }
            partPath = part
        }
        guard let partPath else { return EINVAL }
        return rename(partPath, path) == 0 ? 0 : errno
    }

    private func link(as name: String) -> Int32 {
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
    }

    private static func remove(_ part: String) {
        unlink(part)
        UnfinishedFiles.forget(part)
    }

    private func unwritable(_ code: Int32) -> MediaFileError { Self.unwritable(path, code) }
}
