internal import Configuration
internal import ControlProtocol
internal import ControlSocket
internal import Diagnostics
internal import Glibc

/// What `doctor` looks at on this machine, the sources apart.
struct MachineChecks {
    let context: CommandContext
    var fuseDevice = "/dev/fuse"
    var fuseConfiguration = "/etc/fuse.conf"

    func all() -> [Finding] {
        [device(), helper(), allowOther()] + user() + libraries() + cache() + state() + [runtime()] + mountPoint() + mounts() + proxies() + [daemon()]
    }

    func device() -> Finding {
        let descriptor = open(fuseDevice, O_RDWR | O_CLOEXEC)
        if descriptor >= 0 {
            close(descriptor)
            return Finding(.good, "fuse device", "\(fuseDevice) can be opened")
        }
        switch errno {
        case ENOENT:
            return Finding(
                .fault, "fuse device", "\(fuseDevice) does not exist",
                advice: "run: sudo modprobe fuse; in a container: --device /dev/fuse --cap-add SYS_ADMIN")
        case EACCES, EPERM:
            return Finding(.fault, "fuse device", "\(fuseDevice) may not be opened", advice: "run: sudo chmod 666 \(fuseDevice), or join its group")
        case let code: return Finding(.fault, "fuse device", "\(fuseDevice): \(String(cString: strerror(code)))", advice: "run: sudo modprobe fuse")
        }
    }

    func helper() -> Finding {
        let places = (context.environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/bin", "/bin"]
        for place in places {
            let path = place + "/fusermount3"
            var info = stat()
            guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { continue }
            if geteuid() != 0, access(path, X_OK) != 0 {
                return Finding(.fault, "fusermount3", "\(path) may not be run: users cannot mount", advice: "run: sudo apt install --reinstall fuse3")
            }
            if geteuid() == 0 || info.st_uid == 0 && info.st_mode & S_ISUID != 0 { return Finding(.good, "fusermount3", path) }
            return Finding(
                .fault, "fusermount3", "\(path) is not set-uid root: users cannot mount", advice: "run: sudo apt install --reinstall fuse3")
        }
        return geteuid() == 0
            ? Finding(.warning, "fusermount3", "not found; root can mount without it", advice: "run: apt install fuse3")
            : Finding(.fault, "fusermount3", "not found: users cannot mount", advice: "run: sudo apt install fuse3")
    }

    func allowOther() -> Finding {
        let lines = (TextFile.read(fuseConfiguration) ?? "").split(separator: "\n").map { $0.filter { $0 != " " && $0 != "\t" } }
        if lines.contains("user_allow_other") { return Finding(.good, "allow_other", "permitted for all users") }
        if geteuid() == 0 { return Finding(.good, "allow_other", "root may always use it") }
        return Finding(
            .note, "allow_other", "-o allow_other is for root only",
            advice: "if other users are to see your mounts: add the line user_allow_other to \(fuseConfiguration)")
    }

    /// fusermount3 asks who the user is.
    func user() -> [Finding] {
        guard geteuid() != 0, getpwuid(getuid()) == nil else { return [] }
        return [
            Finding(
                .fault, "user", "user \(getuid()) is not in /etc/passwd: fusermount3 does not mount for it",
                advice: "in a container: add a line for it, or run as another user")
        ]
    }

    /// Where a daemon in the background writes its log.
    func state() -> [Finding] {
        let path = context.standard.state
        guard let hindrance = WritablePlace.hindrance(to: path) else { return [] }
        return [
            Finding(
                .fault, "log", "nothing can be written in \(path): \(hindrance)",
                advice: "set HOME or XDG_STATE_HOME to a directory of yours; the daemon does not start without its log")
        ]
    }

    func libraries() -> [Finding] { context.hooks.libraries().map { Finding(.good, "library", "\($0.name) \($0.version)") } }

    func cache() -> [Finding] {
        let path = context.cacheDirectory
        var info = stat()
        guard stat(path, &info) == 0 else {
            if let hindrance = WritablePlace.hindrance(to: path) {
                return [
                    Finding(
                        .fault, "cache", "\(path) cannot be made: \(hindrance)",
                        advice: "set HOME or XDG_CACHE_HOME to a directory of yours, or give --cache-dir")
                ]
            }
            return [Finding(.note, "cache", "\(path) does not exist yet; it is made when it is needed")]
        }
        guard info.st_mode & S_IFMT == S_IFDIR else {
            return [Finding(.fault, "cache", "\(path) is not a directory", advice: "choose another: --cache-dir")]
        }
        var findings: [Finding] = []
        if info.st_uid != geteuid() {
            findings.append(Finding(.fault, "cache", "\(path) belongs to another user", advice: "choose another: --cache-dir"))
        } else if info.st_mode & 0o077 != 0 {
            findings.append(Finding(.fault, "cache", "others may enter \(path)", advice: "run: chmod 700 '\(path)'"))
        }
        if access(path, W_OK) != 0 {
            findings.append(Finding(.fault, "cache", "\(path) is not writable: nothing is kept", advice: "check the disk and its mount"))
        }
        if access(path + "/CACHEDIR.TAG", F_OK) != 0, !isEmpty(path) {
            findings.append(
                Finding(.fault, "cache", "\(path) holds files and no marker of reelfs: it is not touched", advice: "choose another: --cache-dir"))
        }
        var disk = statvfs()
        if statvfs(path, &disk) == 0 {
            let free = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue
            let minimum = context.settings.minimumFree ?? Settings.defaultMinimumFree
            if free < minimum {
                findings.append(
                    Finding(
                        .warning, "cache", "only \(ByteSize.format(free)) are free on its disk: little or nothing is kept",
                        advice: "make room, or choose another: --cache-dir"))
            } else {
                findings.append(Finding(.good, "cache", "\(path), \(ByteSize.format(free)) free on its disk"))
            }
        }
        return findings
    }

    private func isEmpty(_ path: String) -> Bool {
        guard let directory = opendir(path) else { return false }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count <= 2
    }

    func runtime() -> Finding {
        guard let location = context.locations.first else { return Finding(.fault, "control socket", "there is no place for it") }
        do throws(ControlError) {
            try location.check()
            return Finding(.good, "control socket", location.path)
        } catch {
            return Finding(.fault, "control socket", error.message, advice: error.advice)
        }
    }

    /// Where `reelfs daemon` mounts, when nothing is mounted there yet.
    func mountPoint() -> [Finding] {
        guard let path = context.settings.mountPoint, !MountInfo.mountPoints().contains(context.real(path)) else { return [] }
        func fault(_ message: String, _ advice: String) -> [Finding] { [Finding(.fault, "mount point", message, advice: advice)] }
        var info = stat()
        guard stat(path, &info) == 0 else {
            let code = errno
            return code == ENOENT
                ? fault("\(path) of reelfs.toml does not exist", "run: mkdir -p '\(path)'")
                : fault("\(path): \(String(cString: strerror(code)))", "choose another: mount_point in reelfs.toml")
        }
        guard info.st_mode & S_IFMT == S_IFDIR else { return fault("\(path) is not a directory", "choose another: mount_point in reelfs.toml") }
        // What fusermount3 asks of an ordinary user; root may mount anywhere.
        guard access(path, W_OK | X_OK) == 0 else { return fault("you may not write to \(path)", "run: chmod u+wx '\(path)', or choose another") }
        return [Finding(.good, "mount point", path)]
    }

    func mounts() -> [Finding] {
        MountInfo.mountPoints().map { path in
            switch MountInfo.isStale(path) {
            case true?: Finding(.fault, "mount", "\(path) was left behind by a daemon that is gone", advice: "run: reelfs unmount '\(path)'")
            case nil: Finding(.fault, "mount", "\(path) does not answer", advice: "run: reelfs unmount -z '\(path)'")
            case false?: Finding(.good, "mount", path)
            }
        }
    }

    func proxies() -> [Finding] {
        ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"].compactMap { name in
            guard let value = context.environment[name], !value.isEmpty else { return nil }
            return Finding(.note, "proxy", "\(name) is \(Redaction.url(value)): the daemon uses it if it was started with it")
        }
    }

    func daemon() -> Finding {
        do throws(CommandFailure) {
            guard let client = try context.client() else { return Finding(.note, "daemon", "not running; reelfs mount starts it") }
            let answer = try controlling { () throws(ControlError) in try client.send(.hello, silence: .seconds(10)) }
            guard case .hello(let hello) = answer else { throw .unexpected }
            if hello.programVersion != ProgramVersion.text {
                return Finding(
                    .warning, "daemon", "it is of version \(hello.programVersion), this command of \(ProgramVersion.text)",
                    advice: "when nobody uses the mounts: reelfs unmount --all, then mount again")
            }
            return Finding(.good, "daemon", "running, pid \(hello.processID)")
        } catch {
            return Finding(.fault, "daemon", error.message, advice: error.advice)
        }
    }
}
