internal import Glibc

/// Small files and links of `/proc` and `/sys`, whose sizes `stat` does not tell.
enum ProcFile {
    /// The whole text, invalid UTF-8 repaired; `nil` when it cannot be read.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            if count == 0 { return String(decoding: text, as: UTF8.self) }
            text += piece[..<count]
        }
    }

    /// Where a symbolic link leads; `nil` when it cannot be read.
    static func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &target, target.count)
        guard count >= 0 else { return nil }
        return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
