internal import CLinux
internal import Glibc

/// An open file, closed with its last user.
final class FileDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { Glibc.close(number) }

    /// Bytes read, fewer than asked at the end of the file or at an error.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        var done = 0
        while done < buffer.count {
            let count = pread(number, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(clamping: offset + UInt64(done)))
            if count > 0 { done += count } else if count == 0 || errno != EINTR { break }
        }
        return done
    }

    /// 0, or the error number.
    func write(_ buffer: UnsafeRawBufferPointer, at offset: UInt64) -> Int32 {
        var done = 0
        while done < buffer.count {
            let count = pwrite(number, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(clamping: offset + UInt64(done)))
            if count > 0 { done += count } else if count == 0 { return ENOSPC } else if errno != EINTR { return errno }
        }
        return 0
    }

    /// 0, or the error number.
    func punch(_ offset: UInt64, _ count: UInt64) -> Int32 {
        reelfs_punch_hole(number, Int64(clamping: offset), Int64(clamping: count)) == 0 ? 0 : errno
    }

    /// Size, and bytes that it takes on disk.
    var extent: (size: UInt64, allocated: UInt64) {
        var information = stat()
        guard fstat(number, &information) == 0 else { return (0, 0) }
        return (UInt64(clamping: information.st_size), UInt64(clamping: information.st_blocks) * 512)
    }
}

/// The data file and the map file of one object.
struct ObjectFiles: Sendable {
    let data: FileDescriptor
    let map: FileDescriptor

    var allocated: UInt64 { data.extent.allocated + map.extent.allocated }

    /// A failed call.
    struct Failure: Error { let code: Int32 }

    /// Opens both; with `create` they must not exist yet.
    static func open(_ name: ObjectName, in directory: String, create: Bool) throws(Failure) -> ObjectFiles {
        let folder = directory + "/objects/" + name.folder
        if create, mkdir(folder, 0o700) != 0, errno != EEXIST { throw Failure(code: errno) }
        let flags = create ? O_RDWR | O_CREAT | O_EXCL : O_RDWR
        let map = try open(folder + "/" + name.stem + ".map", flags)
        do {
            return ObjectFiles(data: try open(folder + "/" + name.stem + ".data", flags), map: map)
        } catch {
            if create { remove(name, in: directory) }
            throw error
        }
    }

    /// Files without a name: they end with their last user, whatever happens to the process.
    static func nameless(in directory: String, _ name: ObjectName) throws(Failure) -> ObjectFiles {
        let files = try open(name, in: directory, create: true)
        remove(name, in: directory)
        return files
    }

    static func remove(_ name: ObjectName, in directory: String) {
        for suffix in [".map", ".data"] { unlink(directory + "/objects/" + name.folder + "/" + name.stem + suffix) }
    }

    /// The header of a map file; `nil` when it is damaged or another object's.
    static func header(of map: FileDescriptor, _ name: ObjectName) -> ObjectHeader? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var count = bytes.withUnsafeMutableBytes { map.read($0, at: 0) }
        if count == 4096, let header = decode(bytes, name) { return header }
        bytes = [UInt8](repeating: 0, count: ObjectHeader.area)
        count = bytes.withUnsafeMutableBytes { map.read($0, at: 0) }
        return decode(Array(bytes.prefix(count)), name)
    }

    private static func decode(_ bytes: [UInt8], _ name: ObjectName) -> ObjectHeader? {
        guard let header = ObjectHeader(decoding: bytes), header.generation == name.generation, KeyHash(header.key) == name.hash else { return nil }
        return header
    }

    private static func open(_ path: String, _ flags: Int32) throws(Failure) -> FileDescriptor {
        let number = reelfs_openat(AT_FDCWD, path, flags, 0o600)
        guard number >= 0 else { throw Failure(code: errno) }
        return FileDescriptor(number)
    }
}
