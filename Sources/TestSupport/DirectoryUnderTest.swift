private import Glibc

/// A directory of the system, such as a mount, for `TreeExercise`. Calls block a thread of their own.
package struct DirectoryUnderTest: TreeUnderTest {
    package let root: String

    package init(_ root: String) { self.root = root }

    private func whole(_ path: String) -> String { path.isEmpty ? root : root + "/" + path }

    package func list(_ path: String) async throws -> [String] {
        let path = whole(path)
        return try await Blocking.run {
            guard let directory = opendir(path) else { throw TreeFault(errno) }
            closedir(directory)
            return try FileTree.names(path)
        }
    }

    package func facts(_ path: String) async throws -> TreeFacts {
        let path = whole(path)
        return try await Blocking.run {
            var info = stat()
            guard lstat(path, &info) == 0 else { throw TreeFault(errno) }
            let isDirectory = info.st_mode & S_IFMT == S_IFDIR
            if isDirectory { return TreeFacts(isDirectory: true, size: 0, modified: 0) }
            return TreeFacts(isDirectory: false, size: UInt64(clamping: info.st_size), modified: Int64(info.st_mtim.tv_sec))
        }
    }

    package func open(_ path: String) async throws -> DescriptorUnderTest {
        let path = whole(path)
        return try await Blocking.run {
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw TreeFault(errno) }
            // open(2) gives directories for reading, too.
            var info = stat()
            if fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFDIR {
                Glibc.close(descriptor)
                throw TreeFault.isDirectory
            }
            return DescriptorUnderTest(descriptor: descriptor)
        }
    }
}

package struct DescriptorUnderTest: FileUnderTest {
    let descriptor: CInt

    package func read(at offset: UInt64, count: Int) async throws -> [UInt8] {
        try await Blocking.run {
            var result = [UInt8](repeating: 0, count: count)
            var done = 0
            while done < count {
                let got = result.withUnsafeMutableBytes { buffer -> Int in
                    guard let base = buffer.baseAddress else { return 0 }
                    return pread(descriptor, base + done, count - done, off_t(clamping: offset) + off_t(done))
                }
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else { throw TreeFault(errno) }
                if got == 0 { break }
                done += got
            }
            result.removeLast(count - done)
            return result
        }
    }

    package func close() async { Glibc.close(descriptor) }
}

extension TreeFault {
    init(_ code: CInt) {
        switch code {
        case ENOENT: self = .notFound
        case ENOTDIR: self = .notDirectory
        case EISDIR: self = .isDirectory
        case ENAMETOOLONG: self = .nameTooLong
        default: self = .other(errorText(code))
        }
    }
}
