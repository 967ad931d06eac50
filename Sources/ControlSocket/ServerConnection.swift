internal import ControlProtocol
internal import Diagnostics
internal import Glibc

/// One client of the server, served by a thread of its own: a request at a time.
struct ServerConnection: Sendable {
    /// How long a client may take between requests, and to take what is sent.
    static let patience: Int32 = 30_000
    /// POLLRDHUP (poll(2)), which the Glibc module lacks: the peer closed its end.
    private static let peerClosed: Int16 = 0x2000

    let descriptor: Int32
    let stopping: Int32
    let log: Log
    let handler: ControlServer.Handler
    /// Told when the client is waited for, and when its request is worked on.
    let setWaiting: @Sendable (Bool) -> Void

    /// Until the client goes, is silent too long or sends what is no request. The descriptor stays open.
    func serve() {
        var buffer = LineBuffer(maximum: ControlMessage.maximumLine)
        while true {
            do throws(ControlError) {
                setWaiting(true)
                guard let line = try nextLine(&buffer) else { return }
                setWaiting(false)
                let request = try ControlMessage.decodeRequest(line)
                guard work(on: request) else { return }
            } catch {
                log.write(.warning, "control", "a request was refused", ["why": error.message])
                send(.failure(error: error))
                return
            }
        }
    }

    /// `nil`: the client is gone or silent, or the server stops.
    private func nextLine(_ buffer: inout LineBuffer) throws(ControlError) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            do throws(LineBuffer.TooLong) {
                if let line = try buffer.next() { return line }
            } catch {
                throw ControlError(.malformed, "the request is longer than \(ControlMessage.maximumLine) bytes")
            }
            var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: stopping, events: Int16(POLLIN), revents: 0)]
            let ready = poll(&waiting, 2, Self.patience)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0, waiting[1].revents == 0 else { return nil }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return nil }
            buffer.append(chunk[..<count])
        }
    }

    /// - Returns: whether the client is still there.
    private func work(on request: ControlRequest) -> Bool {
        guard let outbox = Outbox() else {
            return send(.failure(error: ControlError(.internalFault, "no descriptors are left", advice: "raise the limit: ulimit -n")))
        }
        let handler = handler
        let task = Task.detached {
            do throws(ControlError) {
                outbox.finish(.answer(answer: try await handler(request, EventSink(outbox.put))))
            } catch {
                outbox.finish(.failure(error: error))
            }
        }
        var isCancelled = false
        while true {
            var waiting = [
                pollfd(fd: outbox.wake, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: Self.peerClosed, revents: 0),
                pollfd(fd: isCancelled ? -1 : stopping, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&waiting, 3, -1)
            if ready < 0, errno != EINTR { break }
            guard ready > 0 else { continue }
            let (events, final) = outbox.take()
            var isThere = waiting[1].revents == 0
            for event in events where isThere { isThere = send(.event(event: event)) }
            if let final, isThere { return send(final) }
            guard isThere, final == nil else { break }
            if waiting[2].revents != 0 {
                // The server stops: a request that does not end by itself (status --watch) is cancelled; its answer is still sent.
                isCancelled = true
                task.cancel()
            }
        }
        task.cancel()
        outbox.abandon()
        return false
    }

    /// - Returns: whether the client took it.
    @discardableResult
    private func send(_ reply: ControlReply) -> Bool {
        setWaiting(true)
        defer { setWaiting(false) }
        let line: [UInt8]
        do throws(ControlError) { line = try ControlMessage.encode(reply) } catch {
            guard let short = try? ControlMessage.encode(.failure(error: error)) else { return false }
            return SocketStream.sendAll(short, to: descriptor, patience: Self.patience)
        }
        return SocketStream.sendAll(line, to: descriptor, patience: Self.patience)
    }
}
