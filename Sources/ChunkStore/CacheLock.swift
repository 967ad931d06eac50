internal import Glibc

/// The right to use a cache directory, held by one process at a time: an flock(2) on `lock` in it. It ends with the
/// object or the process.
package final class CacheLock: Sendable {
    private let descriptor: Int32

    /// Makes the directory, if need be, exactly as `ChunkStore` does.
    ///
    /// - Throws: `.locked` with the holder's pid; `.foreignDirectory`, `.unknownFormat` or `.inaccessible`.
    package init(directory: String) throws(CacheError) {
        try CacheDirectory.prepare(directory)
        let path = directory + "/lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw CacheDirectory.failure("cannot open \(path)", errno) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            let pid = code == EWOULDBLOCK ? CacheLock.holder(descriptor) : nil
            Glibc.close(descriptor)
            guard code == EWOULDBLOCK else { throw CacheDirectory.failure("cannot lock \(path)", code) }
            let who = pid.map { "process \($0)" } ?? "another process"
            throw CacheError(
                .locked(pid: pid), "the cache directory \(directory) is in use by \(who)",
                advice: "use that process, stop it, or name another cache directory")
        }
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        self.descriptor = descriptor
    }

    deinit { Glibc.close(descriptor) }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return nil }
        let digits = bytes.prefix(count).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int32(String(decoding: digits, as: UTF8.self))
    }
}
