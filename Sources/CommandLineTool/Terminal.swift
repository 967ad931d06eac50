internal import Configuration
internal import Diagnostics
internal import Glibc

enum Terminal {
    /// Of the terminal at the standard error or output; 80 when there is none.
    static func columns() -> Int {
        var size = winsize()
        for descriptor: Int32 in [2, 1] where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 { return Int(size.ws_col) }
        return 80
    }

    /// Asks on the controlling terminal, whatever the standard streams are, with echo off. Ctrl-C restores the terminal and ends the process.
    static func askSecret(_ question: String) -> Secret? {
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var old = termios()
        guard tcgetattr(descriptor, &old) == 0 else { return nil }
        var silent = old
        silent.c_lflag &= ~tcflag_t(ECHO)
        // Signals wait until the echo is on again.
        var signals = sigset_t(), before = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGTSTP, SIGQUIT, SIGHUP] { sigaddset(&signals, number) }
        silent.c_lflag &= ~tcflag_t(ISIG)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        tcsetattr(descriptor, TCSAFLUSH, &silent)
        defer { tcsetattr(descriptor, TCSAFLUSH, &old) }
        say(question, descriptor)
        defer { say("\n", descriptor) }
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 65_536 {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 || byte == UInt8(ascii: "\n") { break }
            // ISIG is off: Ctrl-C arrives as a byte.
            if byte == 3 {
                tcsetattr(descriptor, TCSAFLUSH, &old)
                exit(130)
            }
            bytes.append(byte)
        }
        return SourceSecrets.oneLine(String(decoding: bytes, as: UTF8.self))
    }

    private static func say(_ text: String, _ descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
