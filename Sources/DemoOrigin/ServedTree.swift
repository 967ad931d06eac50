internal import CLinux
internal import Glibc

/// A directory of this machine, read through descriptors that never follow a link: nothing outside it can be reached,
/// whatever the names say and whatever is renamed meanwhile.
final class ServedTree: Sendable {
    /// A file or directory kept open.
    final class Handle: Sendable {
        let descriptor: CInt
        let node: ServedNode

        init(descriptor: CInt, node: ServedNode) {
            self.descriptor = descriptor
            self.node = node
        }

        deinit { close(descriptor) }
    }

    enum Failure: Error { case notFound, denied, fault }

    private let root: CInt

    init(root path: String) throws(DemoError) {
        root = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw DemoError(.noSuchDirectory, "cannot serve \(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(root) }

    func open(_ path: RequestPath) throws(Failure) -> Handle {
        var descriptor = try duplicateRoot()
        for segment in path.segments {
            // O_NONBLOCK: opening a pipe that somebody put there must not wait.
            let next = segment.withNullTerminated { reelfs_openat(descriptor, $0, O_RDONLY | O_NONBLOCK, 0) }
            let code = errno
            close(descriptor)
            guard next >= 0 else { throw Self.failure(code) }
            descriptor = next
        }
        var info = stat()
        guard fstat(descriptor, &info) == 0, let node = ServedNode(info) else {
            close(descriptor)
            throw .notFound
        }
        return Handle(descriptor: descriptor, node: node)
    }

    /// Names and facts of what a directory holds, sorted by bytes.
    func list(_ directory: Handle) throws(Failure) -> [(name: [UInt8], node: ServedNode)] {
        let copy = ".".withCString { reelfs_openat(directory.descriptor, $0, O_RDONLY | O_DIRECTORY, 0) }
        guard copy >= 0 else { throw Self.failure(errno) }
        guard let stream = fdopendir(copy) else {
            close(copy)
            throw .fault
        }
        defer { closedir(stream) }
        var found: [(name: [UInt8], node: ServedNode)] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            var info = stat()
            let isSeen = name.withNullTerminated { fstatat(copy, $0, &info, AT_SYMLINK_NOFOLLOW) } == 0
            if isSeen, name != Array(".".utf8), name != Array("..".utf8), let node = ServedNode(info) { found.append((name, node)) }
            errno = 0
        }
        guard errno == 0 else { throw .fault }
        return found.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }

    private func duplicateRoot() throws(Failure) -> CInt {
        let copy = fcntl(root, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .fault }
        return copy
    }

    private static func failure(_ code: CInt) -> Failure {
        switch code {
        case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, ENXIO: .notFound
        case EACCES, EPERM: .denied
        default: .fault
        }
    }
}

extension [UInt8] {
    /// The bytes as a C string. They hold no NUL.
    fileprivate func withNullTerminated<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (self + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { chars in
                // The buffer has at least its NUL, so there is a base address.
                chars.baseAddress.map(body) ?? "".withCString(body)
            }
        }
    }
}
