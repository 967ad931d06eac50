internal import Glibc

/// Mounts of reelfs, from `/proc/self/mountinfo` (proc(5)).
enum MountInfo {
    /// The mount points of `fuse.reelfs` mounts, in order of mounting.
    static func mountPoints(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count > dash + 1, fields[dash + 1] == "fuse.reelfs" else { return nil }
            return unescaped(fields[4])
        }
    }

    static func mountPoints() -> [String] { TextFile.read("/proc/self/mountinfo").map(mountPoints(in:)) ?? [] }

    /// `\040` is a space: three octal digits are a byte.
    private static func unescaped(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), index + 3 < bytes.count {
                let digits = bytes[index + 1...index + 3].map { $0 &- UInt8(ascii: "0") }
                if digits.allSatisfy({ $0 < 8 }), digits[0] < 4 {
                    result.append(digits[0] << 6 | digits[1] << 3 | digits[2])
                    index += 4
                    continue
                }
            }
            result.append(bytes[index])
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether the daemon behind the mount is gone. A mount that does not answer within two seconds is not stale, but hangs: `nil`.
    static func isStale(_ mountPoint: String) -> Bool? {
        // In a child that can be left behind: a call on a hanging mount does not come back. statfs(2), since stat(2) is answered from what
        // the kernel keeps, also of a dead mount.
        let pid = ChildProcess.start(["stat", "-f", "--", mountPoint], discardsOutput: true)
        guard let pid else { return false }
        guard let status = ChildProcess.wait(pid, for: .seconds(2)) else { return nil }
        if status == 0 { return false }
        var totals = statvfs()
        return statvfs(mountPoint, &totals) != 0 && errno == ENOTCONN
    }
}
