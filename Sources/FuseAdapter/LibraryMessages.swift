internal import CFuse
internal import Glibc
internal import Synchronization

/// What libfuse has to say: it prints to stderr, which a daemon does not have. The reasons for a failed mount stand
/// there only. libfuse knows one function for the whole process, so this is global, too.
enum LibraryMessages {
    private static let lines = Mutex<[String]>([])

    /// The first use redirects them.
    private static let isRedirected: Bool = {
        fuse_set_log_func { _, format, arguments in
            guard let format, let arguments else { return }
            var text = [CChar](repeating: 0, count: 512)
            guard vsnprintf(&text, text.count, format, arguments) > 0 else { return }
            let bytes = text.prefix { $0 != 0 && $0 != 0x0A }.map { UInt8(bitPattern: $0) }
            LibraryMessages.lines.withLock { lines in
                if lines.count >= 20 { lines.removeFirst() }
                lines.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        return true
    }()

    /// Forgets what was said so far.
    static func begin() {
        _ = isRedirected
        lines.withLock { $0 = [] }
    }

    /// What was said since, on one line.
    static func collect() -> String {
        lines.withLock { lines in
            defer { lines = [] }
            return lines.joined(separator: "; ")
        }
    }
}
