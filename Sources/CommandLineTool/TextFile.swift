internal import Glibc

/// Small files that a user names.
enum TextFile {
    /// `nil`: unreadable, not UTF-8, or larger than 1 MiB.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while result.count <= 1 << 20 {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return String(validating: result, as: UTF8.self) }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            result += chunk[..<count]
        }
        return nil
    }

    /// Replaces the file's content, not atomically.
    static func write(_ text: String, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return false }
            bytes = bytes.dropFirst(max(count, 0))
        }
        return true
    }
}
