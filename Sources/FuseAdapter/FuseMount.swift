internal import CFuse
package import Diagnostics
internal import Glibc
internal import Synchronization
internal import Threads

/// One directory through which the kernel shows a tree. Thread-safe; its calls block for up to some seconds, so they
/// belong on threads that may block.
package final class FuseMount: Sendable {
    private enum Phase: Sendable {
        case prepared
        case mounted(FuseSession, MountTable.Entry)
        /// An unmount was asked for.
        case ending(FuseSession, MountTable.Entry)
        case ended
    }

    /// Absolute, symbolic links resolved, as the mount table has it.
    package let mountPoint: String
    package let options: MountOptions
    private let tree: any MountableTree
    private let log: Log
    private let phase = Mutex(Phase.prepared)
    private let endHandler = Mutex<(@Sendable () -> Void)?>(nil)

    /// How long `unmount` takes at most, busy or not.
    package static let unmountLimit = Duration.seconds(5)

    /// Looks at the mount point; takes a mount of reelfs away whose daemon has ended, and nothing else. Mounts nothing yet.
    ///
    /// - Parameter tree: a `VirtualTree`.
    package init(tree: any MountableTree, mountPoint: String, options: MountOptions, log: Log) throws(MountError) {
        self.tree = tree
        self.options = options
        self.log = log
        self.mountPoint = try MountPoint.prepare(mountPoint, log: log)
    }

    /// Calls the handler once if the mount ends otherwise than by `unmount`: `fusermount3 -u`, `umount`, an aborted
    /// connection. Set it before `start`. It runs on a thread of the mount, which is then over.
    package func onEnd(_ handler: @escaping @Sendable () -> Void) { endHandler.withLock { $0 = handler } }

    /// Mounts; when it returns, the kernel has got an answer for the root. To be called once.
    package func start() throws(MountError) {
        let fileSystem = FuseFileSystem(tree: tree, options: options, log: log)
        let session = try FuseSession(fileSystem: fileSystem, options: options, log: log)
        try session.mount(at: mountPoint)
        guard let entry = MountTable.mount(at: mountPoint), entry.isReelfs else {
            throw MountError(.failed, "the mount at \(mountPoint) does not show in /proc/self/mountinfo")
        }
        phase.withLock { $0 = .mounted(session, entry) }
        do {
            try session.start { [self] in sessionEnded(entry) }
            try awaitAnswer(session)
        } catch {
            try? unmount(lazy: true, always: true)
            throw error
        }
        ReadAheadSetting.apply(device: entry.device)
    }

    /// `stat` of the root, through the kernel.
    private func awaitAnswer(_ session: FuseSession) throws(MountError) {
        let answer = MonitoredValue<CInt?>(nil)
        let path = mountPoint
        let asker = OwnThread.start("mount-stat") {
            var status = stat()
            let failure = stat(path, &status) == 0 ? 0 : errno
            answer.change { $0 = failure }
        }
        guard asker != nil else { throw MountError(.failed, "no threads for the mount") }
        guard let failure = answer.wait(within: .seconds(10), until: { $0 }) else {
            throw MountError(.notAnswering, "the mount at \(path) does not answer")
        }
        guard failure == 0 else { throw MountError(.notAnswering, "the mount at \(path) answers: \(String(cString: strerror(failure)))") }
    }

    /// Unmounts and ends everything within `unmountLimit`. Reads that wait for an origin are answered with EIO. Without
    /// effect when the mount is over.
    ///
    /// - Parameters:
    ///   - lazy: when files are in use, takes the mount away nevertheless; they get ENOTCONN from then on.
    ///   - always: stops answering even where the mount cannot be taken away. For a process that is about to end.
    /// - Throws: `.busy` when files are in use and `lazy` is false, `.denied` when the system does not let the mount be taken
    ///   away: the mount goes on. `.failed` when the mount stays in the table (something else is mounted above it) or a
    ///   thread had to be abandoned; the mount is over then.
    package func unmount(lazy: Bool, always: Bool = false) throws(MountError) {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.unmountLimit
        let current: (FuseSession, MountTable.Entry)? = phase.withLock { phase in
            switch phase {
            case .mounted(let session, let entry), .ending(let session, let entry):
                phase = .ending(session, entry)
                return (session, entry)
            case .prepared, .ended: return nil
            }
        }
        guard let (session, entry) = current else { return }

        var detachment = MountPoint.detach(entry, lazy: false)
        if detachment == .busy {
            guard lazy else {
                goOn(session, entry)
                throw MountError(.busy, "files of \(mountPoint) are in use", advice: "close them, or unmount with --lazy")
            }
            detachment = MountPoint.detach(entry, lazy: true)
        }
        if case .refused(let reason) = detachment, !always {
            goOn(session, entry)
            throw MountError(
                .denied, "\(mountPoint) cannot be unmounted, and goes on: \(reason)",
                advice: Fusermount.problem.map { "\($0.message): \($0.advice)" } ?? "sudo umount \(mountPoint)")
        }
        // A mount that nobody used ends by itself: the kernel closes the connection.
        let isOver = session.hasEnded(within: .milliseconds(200)) || session.end(within: max(deadline - clock.now, .milliseconds(100)))
        if !isOver { throw MountError(.failed, "a thread of the mount at \(mountPoint) does not end: it was left behind") }
        switch detachment {
        case .detached, .gone: return
        case .covered:
            throw MountError(.failed, "something else is mounted over \(mountPoint)", advice: "unmount that, then run reelfs unmount again")
        case .busy: throw MountError(.failed, "\(mountPoint) stays mounted, without an answer", advice: "fusermount3 -uz \(mountPoint)")
        case .refused(let reason): throw MountError(.failed, "\(mountPoint) stays mounted, without an answer: \(reason)")
        }
    }

    private func goOn(_ session: FuseSession, _ entry: MountTable.Entry) {
        phase.withLock { phase in
            if case .ending = phase { phase = .mounted(session, entry) }
        }
    }

    /// On the loop's thread, when everything of the session has stopped.
    private func sessionEnded(_ entry: MountTable.Entry) {
        let wasAsked = phase.withLock { phase in
            defer { phase = .ended }
            if case .ending = phase { return true }
            return false
        }
        guard !wasAsked else { return }
        // An aborted connection leaves a dead mount.
        _ = MountPoint.detach(entry, lazy: true)
        log.write(.notice, "mount", "unmounted by somebody else", ["path": mountPoint])
        let handler = endHandler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        handler?()
    }

    /// For `status`.
    package var statistics: MountStatistics {
        phase.withLock { phase in
            switch phase {
            case .mounted(let session, _), .ending(let session, _):
                let fileSystem = session.fileSystem
                return MountStatistics(
                    openFiles: fileSystem.files.count, openDirectories: fileSystem.directories.count, waitingRequests: fileSystem.pending.waiting)
            case .prepared, .ended: return MountStatistics(openFiles: 0, openDirectories: 0, waitingRequests: 0)
            }
        }
    }

    /// Whether the kernel shows the tree.
    package var isMounted: Bool {
        phase.withLock { phase in
            if case .mounted = phase { return true }
            return false
        }
    }
}

/// What a mount is busy with.
package struct MountStatistics: Hashable, Sendable {
    package let openFiles: Int
    package let openDirectories: Int
    /// Requests that wait for an origin.
    package let waitingRequests: Int
}
