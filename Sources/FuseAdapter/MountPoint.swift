internal import CFuse
internal import CLinux
internal import Diagnostics
internal import Glibc
internal import Threads

/// The directory to mount on: what may be done there, and undoing it.
enum MountPoint {
    /// Makes the directory ready and finds its absolute path, symbolic links resolved, as the mount table will show it.
    /// A mount of ours that nobody serves any more is taken away; anything else that is mounted there is left alone.
    static func prepare(_ path: String, log: Log) throws(MountError) -> String {
        // More than one dead mount may lie above another.
        for _ in 0..<16 {
            let failure = try error(ofStatAt: path)
            let mounted = MountTable.mount(at: path)
            switch (failure, mounted) {
            case (0, nil): return try absolute(path)
            case (0, let mounted?):
                throw MountError(
                    .alreadyMounted, "\(path) already has a \(mounted.type) mount of \(Redaction.url(mounted.source))",
                    advice: mounted.isReelfs ? "reelfs unmount \(path)" : "choose another directory")
            case (ENOTCONN, let mounted?) where mounted.isReelfs:
                log.write(.notice, "mount", "replacing a mount whose daemon has ended", ["path": mounted.mountPoint])
                try detachStale(mounted)
            case (ENOTCONN, let mounted): throw foreign(path, mounted, "whose server has ended")
            case (ENOENT, _): throw MountError(.missing, "\(path) does not exist", advice: "mkdir -p \(path)")
            case (ENOTDIR, _): throw MountError(.notDirectory, "\(path) is not a directory")
            case (let failure, _): throw MountError(.denied, "\(path): \(String(cString: strerror(failure)))")
            }
        }
        throw MountError(.failed, "\(path) has more dead mounts than can be removed", advice: "umount -l \(path)")
    }

    /// The errno of `stat`, ENOTDIR for what is no directory, 0 if all is well. A file system that hangs does not hang us.
    private static func error(ofStatAt path: String) throws(MountError) -> CInt {
        let answer = MonitoredValue<CInt?>(nil)
        let thread = OwnThread.start("mount-stat") {
            var status = stat()
            var failure = stat(path, &status) == 0 ? (status.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR) : errno
            // The kernel answers `stat` from what it keeps, also of a dead mount; this it always asks.
            var totals = statvfs()
            if failure == 0 && statvfs(path, &totals) != 0 && errno == ENOTCONN { failure = ENOTCONN }
            let result = failure
            answer.change { $0 = result }
        }
        guard thread != nil else { throw MountError(.failed, "no thread to look at \(path)") }
        guard let failure = answer.wait(within: .seconds(5), until: { $0 }) else {
            throw foreign(path, MountTable.mount(at: path), "that does not answer")
        }
        return failure
    }

    private static func foreign(_ path: String, _ mounted: MountTable.Entry?, _ state: String) -> MountError {
        MountError(
            .foreignMount, "\(path) is inside a \(mounted?.type ?? "FUSE or network") mount \(state)",
            advice: mounted?.isReelfs == true ? "reelfs unmount \(path)" : "unmount it yourself if nobody needs it, or choose another directory")
    }

    private static func absolute(_ path: String) throws(MountError) -> String {
        guard let resolved = realpath(path, nil) else { throw MountError(.failed, "\(path): \(String(cString: strerror(errno)))") }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func detachStale(_ mounted: MountTable.Entry) throws(MountError) {
        switch detach(mounted, lazy: true) {
        case .detached, .gone: return
        case .busy:
            throw MountError(.busy, "the dead mount at \(mounted.mountPoint) cannot be removed", advice: "fusermount3 -uz \(mounted.mountPoint)")
        case .covered, .refused(_):
            throw MountError(
                .denied, "the dead mount at \(mounted.mountPoint) cannot be removed by this user", advice: "sudo umount -l \(mounted.mountPoint)")
        }
    }

    enum Detachment: Hashable, Sendable {
        case detached
        /// It was not there any more.
        case gone
        case busy
        /// Something else is mounted above it, and would be unmounted in its place.
        case covered
        case refused(String)
    }

    /// Unmounts exactly this mount, which must be of reelfs.
    static func detach(_ entry: MountTable.Entry, lazy: Bool) -> Detachment {
        precondition(entry.isReelfs, "only mounts of reelfs are unmounted")
        guard let present = MountTable.current()[entry.identifier], present.isSameMount(as: entry) else { return .gone }
        guard MountTable.mount(at: entry.mountPoint)?.identifier == entry.identifier else { return .covered }
        var failure: CInt = EPERM
        if geteuid() == 0 {
            if reelfs_unmount(entry.mountPoint, lazy ? 1 : 0) == 0 { return .detached }
            failure = errno
            if failure == EBUSY { return .busy }
        }
        guard failure == EPERM else { return .refused(String(cString: strerror(failure))) }
        let said = Fusermount.unmount(entry.mountPoint, lazy: lazy, within: .seconds(2))
        if MountTable.current()[entry.identifier] == nil { return .detached }
        if let said, said.contains("busy") { return .busy }
        return .refused(said ?? "still mounted")
    }
}
