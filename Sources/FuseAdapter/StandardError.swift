internal import CLinux
internal import Glibc
internal import Synchronization

/// The standard error of this process, listened to while a child that inherits it may say why something failed.
enum StandardError {
    private static let turn = Mutex(())

    /// What `body` answers, and what was written to the standard error meanwhile, on one line. All of it is passed on
    /// afterwards: other threads may have written, too.
    static func heard(_ body: () -> CInt) -> (answer: CInt, words: String) {
        turn.withLock { _ in
            let file = reelfs_memory_file("stderr"), kept = fcntl(2, F_DUPFD_CLOEXEC, 3)
            defer {
                if file >= 0 { close(file) }
                if kept >= 0 { close(kept) }
            }
            guard file >= 0, kept >= 0, dup2(file, 2) == 2 else { return (body(), "") }
            let answer = body()
            dup2(kept, 2)
            var bytes = [UInt8](repeating: 0, count: 16_384)
            let count = max(pread(file, &bytes, bytes.count, 0), 0)
            var passed = 0
            while passed < count {
                let written = bytes[passed..<count].withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
                guard written > 0 else { break }
                passed += written
            }
            let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("fusermount3: ") }
            return (answer, lines.joined(separator: "; "))
        }
    }
}
