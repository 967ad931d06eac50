internal import CLinux
package import ControlProtocol
package import Diagnostics
internal import Glibc
internal import Synchronization
internal import Threads

/// Listens on the daemon's socket. A thread accepts; each connection has a thread of its own (control is rare and may take long), and each
/// request a task, cancelled when the client goes away.
package final class ControlServer: Sendable {
    /// Works on one request. Runs on the cooperative pool: it must not block. A thrown `ControlError` is the reply.
    package typealias Handler = @Sendable (ControlRequest, EventSink) async throws(ControlError) -> ControlAnswer

    package let location: SocketLocation
    private let handler: Handler
    private let log: Log
    private let listener: Int32
    /// Readable once the server stops: everyone who waits wakes up.
    private let stopping: Int32
    private let connections = ConnectionTable()
    private let isStopped = Mutex(false)

    /// Listens when it returns. A stale socket file is replaced.
    /// - Throws: `.busy` when another daemon listens there, `.unsafe` when the directory is not ours alone.
    package init(location: SocketLocation, log: Log, handler: @escaping Handler) throws(ControlError) {
        self.location = location
        self.handler = handler
        self.log = log
        guard let directory = try location.openDirectory(makes: true) else {
            throw ControlError(.notFound, "cannot make \(location.directory)", advice: "set XDG_RUNTIME_DIR to a directory of yours")
        }
        defer { close(directory) }
        let path = SocketAddress.path(location, directory: directory)
        listener = try Self.listen(path, shown: location.path)
        stopping = eventfd(0, Int32(O_CLOEXEC | O_NONBLOCK))
        guard stopping >= 0 else {
            unlink(path)  // deinit closes the rest
            throw ControlError(.internalFault, "no descriptors are left", advice: "raise the limit: ulimit -n")
        }
        guard OwnThread.start("control", { [self] in acceptLoop() }) != nil else {
            unlink(path)
            throw ControlError(.internalFault, "no thread for the control socket", advice: "raise the limit: ulimit -u")
        }
    }

    deinit {
        close(listener)
        close(stopping)
    }

    private static func listen(_ path: String, shown: String) throws(ControlError) -> Int32 {
        let probe = SocketAddress.makeSocket()
        guard probe >= 0 else { throw ControlError(.internalFault, "no descriptors are left", advice: "raise the limit: ulimit -n") }
        let isAlive = SocketAddress.with(path) { connect(probe, $0, $1) } == 0 || errno == EAGAIN
        close(probe)
        if isAlive { throw ControlError(.busy, "another daemon listens on \(shown)", advice: "run: reelfs status") }
        unlink(path)
        let listener = SocketAddress.makeSocket()
        guard listener >= 0 else { throw ControlError(.internalFault, "no descriptors are left", advice: "raise the limit: ulimit -n") }
        // Before bind(2), so that the file never has another mode.
        fchmod(listener, 0o600)
        guard SocketAddress.with(path, { bind(listener, $0, $1) }) == 0, chmod(path, 0o600) == 0, Glibc.listen(listener, 64) == 0 else {
            let code = errno
            close(listener)
            throw ControlError(.internalFault, "cannot listen on \(shown): \(String(cString: strerror(code)))")
        }
        return listener
    }

    /// Stops accepting, removes the socket, and waits until running requests have sent their answers; after `grace` they are cancelled.
    /// Blocks the caller: not for the cooperative pool.
    package func stop(grace: Duration = .seconds(2)) {
        let isFirst = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard isFirst else { return }
        if let directory = try? location.openDirectory(makes: false) {
            unlink(SocketAddress.path(location, directory: directory))
            close(directory)
        }
        var one: UInt64 = 1
        _ = withUnsafeBytes(of: &one) { write(stopping, $0.baseAddress, 8) }
        let deadline = ContinuousClock.now + grace
        while connections.count > 0, ContinuousClock.now < deadline { usleep(10_000) }
    }

    private func acceptLoop() {
        while !isStopped.withLock({ $0 }) {
            var waiting = [pollfd(fd: stopping, events: Int16(POLLIN), revents: 0), pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            // At the limit only the end of a connection helps: look again soon.
            let isFull = connections.isFull
            if isFull { connections.putOutOne() }
            let ready = poll(&waiting, isFull ? 1 : 2, isFull ? 20 : -1)
            if ready < 0, errno != EINTR { return }
            if waiting[0].revents != 0 { return }
            guard !isFull, ready > 0, waiting[1].revents != 0 else { continue }
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if errno == EMFILE || errno == ENFILE { usleep(50_000) }
                continue
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            admit(descriptor)
        }
    }

    private func admit(_ descriptor: Int32) {
        let peer = reelfs_peer_uid(descriptor)
        guard peer == Int64(geteuid()) || peer == 0 else {
            log.write(.warning, "control", "a connection of another user was refused", ["uid": String(peer)])
            close(descriptor)
            return
        }
        let number = connections.add(descriptor)
        let connection = ServerConnection(descriptor: descriptor, stopping: stopping, log: log, handler: handler) { [connections] isWaiting in
            connections.setWaiting(number, isWaiting)
        }
        let serve: @Sendable () -> Void = { [self] in
            connection.serve()
            connections.remove(number)
        }
        // When there can be no more threads, one peer after the other.
        if OwnThread.start("control peer", serve) == nil { serve() }
    }
}
