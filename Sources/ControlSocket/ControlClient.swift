internal import CLinux
package import ControlProtocol
internal import Glibc

/// The command's end of the socket. Blocks its thread: for the command line and tests, not for Swift tasks. One request at a time.
package final class ControlClient {
    private let descriptor: Int32
    private var buffer = LineBuffer(maximum: ControlMessage.maximumLine)

    /// Connects to the first location where a daemon of this user listens.
    /// - Throws: `.notRunning` when there is none, `.unsafe` when the socket may be another user's.
    package convenience init(connectingTo locations: [SocketLocation]) throws(ControlError) {
        for location in locations {
            if let descriptor = try Self.connect(location) {
                try self.init(descriptor: descriptor)
                return
            }
        }
        throw ControlError(.notRunning, "reelfs is not running", advice: "start it with: reelfs mount")
    }

    private init(descriptor: Int32) throws(ControlError) {
        self.descriptor = descriptor
        guard reelfs_peer_uid(descriptor) == Int64(geteuid()) else {
            throw ControlError(.unsafe, "the daemon that listens there belongs to another user")
        }
    }

    deinit { close(descriptor) }

    /// `nil`: nobody listens there.
    private static func connect(_ location: SocketLocation) throws(ControlError) -> Int32? {
        guard let directory = try location.openDirectory(makes: false) else { return nil }
        defer { close(directory) }
        let descriptor = SocketAddress.makeSocket()
        guard descriptor >= 0 else { throw ControlError(.internalFault, "no descriptors are left", advice: "raise the limit: ulimit -n") }
        let path = SocketAddress.path(location, directory: directory)
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            if SocketAddress.with(path, { Glibc.connect(descriptor, $0, $1) }) == 0 { return descriptor }
            let code = errno
            if code == EINTR { continue }
            // EAGAIN: the queue of the socket is full.
            if code == EAGAIN, ContinuousClock.now < deadline {
                usleep(20_000)
                continue
            }
            close(descriptor)
            if code == ENOENT || code == ECONNREFUSED { return nil }
            if code == EAGAIN { throw ControlError(.timedOut, "the daemon does not answer", advice: "see its log, or end it: kill it by its pid") }
            throw ControlError(.connectionLost, "cannot reach the daemon: \(String(cString: strerror(code)))")
        }
    }

    /// Sends a request and waits for its answer.
    /// - Parameters:
    ///   - silence: the longest time without a line from the daemon; `nil`: for ever.
    ///   - onEvent: called on this thread, in order, before it returns.
    /// - Throws: the daemon's error, `.timedOut` or `.connectionLost`.
    @discardableResult
    package func send(_ request: ControlRequest, silence: Duration? = .seconds(60), onEvent: (ControlEvent) -> Void = { _ in })
        throws(ControlError) -> ControlAnswer
    {
        let line = try ControlMessage.encode(request)
        guard SocketStream.sendAll(line, to: descriptor, patience: 10_000) else { throw Self.lost }
        while true {
            switch try ControlMessage.decodeReply(try nextLine(silence)) {
            case .event(let event): onEvent(event)
            case .answer(let answer): return answer
            case .failure(let error): throw error
            }
        }
    }

    /// For poll(2): at least 1 (0 would be a busy loop), at most an hour (the caller looks at the clock again).
    private static func milliseconds(_ time: Duration) -> Int32 {
        guard time < .seconds(3600) else { return 3_600_000 }
        let (seconds, attoseconds) = time.components
        return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    private static let lost = ControlError(.connectionLost, "the daemon went away", advice: "see its log: reelfs status tells whether it runs")

    private func nextLine(_ silence: Duration?) throws(ControlError) -> [UInt8] {
        let deadline = silence.map { ContinuousClock.now + $0 }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            do throws(LineBuffer.TooLong) {
                if let line = try buffer.next() { return line }
            } catch {
                throw ControlError(.malformed, "the daemon's answer is too long")
            }
            let left = deadline.map { ContinuousClock.now.duration(to: $0) }
            if let left, left <= .zero {
                throw ControlError(.timedOut, "the daemon did not answer in time", advice: "see what it does: reelfs status")
            }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, left.map(Self.milliseconds) ?? -1)
            if ready <= 0 { continue }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { throw Self.lost }
            buffer.append(chunk[..<count])
        }
    }
}
