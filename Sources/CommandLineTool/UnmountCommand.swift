internal import ControlProtocol
internal import ControlSocket
internal import Glibc

/// `reelfs unmount`.
enum UnmountCommand {
    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let wantsAll = context.arguments.has("all")
        let paths = context.arguments.operands.map(context.real)
        guard wantsAll != !paths.isEmpty else { throw .usage("name mount points, or --all", advice: "see: reelfs unmount --help") }
        let isLazy = context.arguments.has("lazy")
        let client = try context.client()
        if wantsAll {
            if let client { try unmount(.all, isLazy, client, context) }
            var result = ExitCode.success
            for path in MountInfo.mountPoints() where MountInfo.isStale(path) == true { if !remove(path, context) { result = .partial } }
            return result
        }
        var failed = 0, status = ExitCode.failure
        for path in paths {
            do throws(CommandFailure) {
                guard let client else { throw CommandFailure(.notRunning, "reelfs is not running") }
                try unmount(.mountPoint(path: path), isLazy, client, context)
            } catch {
                if error.exit == .mountFailed {
                    context.warn(error.text)
                    failed += 1
                    status = .mountFailed
                    continue
                }
                // Of another daemon, or left behind by one: only ever a mount of reelfs.
                guard MountInfo.mountPoints().contains(path) else {
                    context.warn(error.exit == .notRunning ? "\(path) is not a mount of reelfs" : error.text)
                    failed += 1
                    continue
                }
                if !remove(path, context) { failed += 1 }
            }
        }
        return failed == 0 ? .success : failed == paths.count ? status : .partial
    }

    private static func unmount(_ target: UnmountTarget, _ isLazy: Bool, _ client: ControlClient, _ context: CommandContext) throws(CommandFailure) {
        let answer = try controlling { () throws(ControlError) in try client.send(.unmount(target: target, lazy: isLazy), silence: .seconds(30)) }
        guard case .unmounted(let mountPoints, let lazy) = answer else { throw .unexpected }
        for path in mountPoints {
            context.say(lazy.contains(path) ? "\(path) is busy: detached, it goes when the last program closes its files" : "unmounted \(path)")
        }
    }

    /// Detaches a mount whose daemon is gone, with fusermount3 (root: umount).
    private static func remove(_ path: String, _ context: CommandContext) -> Bool {
        let words = geteuid() == 0 ? ["umount", "-l", "-i", "--", path] : ["fusermount3", "-u", "-z", "--", path]
        guard let pid = ChildProcess.start(words) else {
            context.warn("cannot run \(words[0]); install it: apt install \(geteuid() == 0 ? "mount" : "fuse3")")
            return false
        }
        guard ChildProcess.wait(pid, for: .seconds(5)) == 0 else {
            context.warn("\(path) could not be unmounted; try: \(words.joined(separator: " "))")
            return false
        }
        context.say("unmounted \(path), which a daemon had left behind")
        return true
    }
}
