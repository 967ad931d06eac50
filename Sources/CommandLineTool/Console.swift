internal import Configuration
internal import Diagnostics
internal import Glibc

/// What a command reads from and prints to. Tests give their own.
struct Console: Sendable {
    var out: @Sendable (String) -> Void
    var error: @Sendable (String) -> Void
    /// All of the standard input, at most 1 MiB; `nil`: more, or it could not be read.
    var readInput: @Sendable () -> String?
    /// Asks on the terminal without echo; `nil`: there is no terminal.
    var askSecret: @Sendable (String) -> Secret?
    var isOutputTerminal: Bool
    var isErrorTerminal: Bool
    var columns: @Sendable () -> Int

    static func standard() -> Console {
        Console(
            out: { write($0, to: 1) }, error: { write($0, to: 2) }, readInput: readAll, askSecret: Terminal.askSecret,
            isOutputTerminal: isatty(1) == 1,
            isErrorTerminal: isatty(2) == 1, columns: Terminal.columns)
    }

    /// A reader that went away (`reelfs list | head -1`) is not an error: the process ends quietly.
    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EPIPE {
                exit(0)
            } else if errno != EINTR {
                return
            }
        }
    }

    private static func readAll() -> String? {
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(0, &chunk, chunk.count)
            if count == 0 { return String(validating: result, as: UTF8.self) }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            result += chunk[..<count]
            if result.count > 1 << 20 { return nil }
        }
    }
}
