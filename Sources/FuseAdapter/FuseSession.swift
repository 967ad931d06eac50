internal import CFuse
internal import Diagnostics
internal import Glibc
internal import Synchronization
internal import Threads

/// One libfuse session from its mount to its end: its loop, its two helper threads, and the order in which they stop.
///
/// The loop's thread takes everything down when the loop ends, for whatever reason. What does not stop within its time
/// is abandoned with its memory: freeing what a thread still uses would be worse.
final class FuseSession: Sendable {
    let fileSystem: FuseFileSystem
    private let notifier = KernelNotifier()
    private let session: SessionPointer
    private let log: Log
    private let ended = MonitoredValue(false)
    private let loop = MonitoredValue(Loop.notStarted)
    private let threads: Int

    private enum Loop: Sendable {
        case notStarted
        /// While this stands, libfuse's session exists.
        case running(OwnThread)
        case over
    }

    private let options: MountOptions

    /// Creates the session; nothing is mounted yet.
    init(fileSystem: FuseFileSystem, options: MountOptions, log: Log) throws(MountError) {
        self.fileSystem = fileSystem
        self.log = log
        self.options = options
        // Requests of different files are answered side by side; a cached read may wait for the disk.
        threads = min(max(4, sysconf(CInt(_SC_NPROCESSORS_ONLN)) * 2), 16)
        LibraryMessages.begin()
        var arguments = fuse_args()
        defer { fuse_opt_free_args(&arguments) }
        for word in ["reelfs", "-o", options.libfuseText(maximumRead: ThreadBuffer.size)] {
            guard fuse_opt_add_arg(&arguments, word) == 0 else { throw MountError(.failed, "no memory for the mount options") }
        }
        var operations = FuseOperations.table()
        let context = Unmanaged.passRetained(fileSystem)
        guard let session = fuse_session_new(&arguments, &operations, MemoryLayout<fuse_lowlevel_ops>.size, context.toOpaque()) else {
            context.release()
            throw MountError(.failed, "libfuse refuses the mount: \(LibraryMessages.collect())")
        }
        self.session = SessionPointer(pointer: session)
    }

    /// Mounts. - Throws: `.denied` with libfuse's reason.
    func mount(at path: String) throws(MountError) {
        LibraryMessages.begin()
        // fusermount3 tells its reasons to whoever reads the standard error.
        let (status, words) = StandardError.heard { fuse_session_mount(session.pointer, path) }
        guard status == 0 else {
            let said = ([words, LibraryMessages.collect()]).filter { !$0.isEmpty }.joined(separator: "; ")
            destroy()
            throw MountError(.denied, "cannot mount at \(path)" + (said.isEmpty ? "" : ": \(said)"), advice: Self.advice(path, options))
        }
    }

    /// What most likely hinders a mount.
    private static func advice(_ path: String, _ options: MountOptions) -> String {
        if access("/dev/fuse", F_OK) != 0 { return "/dev/fuse is missing: load the kernel module with `modprobe fuse`" }
        if geteuid() != 0 {
            if access("/dev/fuse", R_OK | W_OK) != 0 { return "/dev/fuse may not be opened: sudo chmod 666 /dev/fuse, or join its group" }
            if let problem = Fusermount.problem { return "\(problem.message): \(problem.advice)" }
            if access(path, W_OK) != 0 { return "mount on a directory that you may write to" }
            if getpwuid(getuid()) == nil { return "fusermount3 needs the user in /etc/passwd" }
            if options.allowOther { return "allow_other needs the line user_allow_other in /etc/fuse.conf" }
            return "the directory must belong to you"
        }
        return "is the process allowed to mount (CAP_SYS_ADMIN)?"
    }

    /// Starts to answer the kernel.
    ///
    /// - Parameter atEnd: called once, by the loop's thread, when the session is over.
    func start(atEnd: @escaping @Sendable () -> Void) throws(MountError) {
        fileSystem.tree.setObserver(notifier)
        let notices = OwnThread.start("fuse-notify") { [notifier, session] in notifier.serve(session) }
        let interrupts = OwnThread.start("fuse-interrupt") { [fileSystem] in
            fileSystem.pending.serveInterrupts { operation in
                fileSystem.failures.reportFault("a \(operation) request was not answered in time: please report this")
            }
        }
        let started = OwnThread.start("fuse-loop") { [self] in
            run()
            loop.change { $0 = .over }
            takeDown(notices, interrupts)
            atEnd()
            ended.open()
        }
        guard let started, notices != nil, interrupts != nil else { throw MountError(.failed, "no threads for the mount") }
        loop.change { loop in
            if case .notStarted = loop { loop = .running(started) }
        }
    }

    private func run() {
        guard let configuration = fuse_loop_cfg_create() else { return }
        defer { fuse_loop_cfg_destroy(configuration) }
        fuse_loop_cfg_set_clone_fd(configuration, 1)
        fuse_loop_cfg_set_max_threads(configuration, CUnsignedInt(threads))
        fuse_loop_cfg_set_idle_threads(configuration, CUnsignedInt(threads))
        let result = fuse_session_loop_mt(session.pointer, configuration)
        if result < 0 { log.write(.error, "mount", "the kernel ended the mount: \(String(cString: strerror(-result)))") }
    }

    /// After the loop: its workers are gone, so that no new request begins.
    private func takeDown(_ notices: OwnThread?, _ interrupts: OwnThread?) {
        fileSystem.tree.setObserver(nil)
        notifier.close()
        fileSystem.pending.close()
        let isDrained = fileSystem.pending.drain(within: .seconds(2))
        fileSystem.closeAll()
        let isQuiet = (notices?.hasEnded(within: .seconds(1)) ?? true) && (interrupts?.hasEnded(within: .seconds(1)) ?? true)
        guard isDrained && isQuiet else {
            log.write(.error, "mount", "a request did not end with its mount: some memory is not given back")
            return
        }
        destroy()
    }

    /// Frees the session and closes its descriptor. Never unmounts: libfuse would do so by path, whatever is there.
    private func destroy() {
        fuse_session_destroy(session.pointer)
        Unmanaged.passUnretained(fileSystem).release()
    }

    /// Whether the session was over within the time.
    func hasEnded(within limit: Duration) -> Bool { ended.waitUntilOpen(within: limit) }

    /// Ends the loop although the kernel still has requests to send, as after a lazy unmount with files open.
    ///
    /// - Returns: whether the session was over within the time.
    func end(within limit: Duration) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        repeat {
            loop.change { loop in
                guard case .running(let thread) = loop else { return }
                fuse_session_exit(session.pointer)
                thread.wake()
            }
            if hasEnded(within: .milliseconds(10)) { return true }
        } while clock.now < deadline
        return false
    }
}
