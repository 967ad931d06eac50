internal import Glibc

/// Sends on a non-blocking socket.
enum SocketStream {
    /// Sends everything; waits at most `patience` milliseconds whenever the peer does not take any. Never raises SIGPIPE.
    /// - Returns: `false` when the peer is gone or too slow.
    static func sendAll(_ bytes: [UInt8], to descriptor: Int32, patience: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            let code = errno
            if code == EINTR { continue }
            guard code == EAGAIN else { return false }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&waiting, 1, patience)
            if ready == 0 || ready < 0 && errno != EINTR { return false }
        }
        return true
    }
}
