internal import CLinux
internal import Glibc

/// The mounts that this process sees: `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
package struct MountTable: Sendable {
    package struct Entry: Hashable, Sendable {
        /// Unique while the mount exists.
        package let identifier: UInt64
        package let parent: UInt64
        /// `major:minor` of the file system, as `/sys/class/bdi` names it.
        package let device: String
        /// Absolute, escapes undone.
        package let mountPoint: String
        /// `fuse.reelfs`, `ext4`, ….
        package let type: String
        /// What was mounted, escapes undone: `fsname=` for FUSE.
        package let source: String
        /// Options of this mount, such as `ro,nosuid`.
        package let options: String

        /// Whether this is the mount that `other` was. Identifiers are used again by the kernel, and options may change.
        func isSameMount(as other: Entry) -> Bool {
            identifier == other.identifier && device == other.device && mountPoint == other.mountPoint && type == other.type
        }

        /// Whether reelfs made it. Only such mounts are ever unmounted.
        package var isReelfs: Bool { type == "fuse.reelfs" }
    }

    /// In the kernel's order.
    package let entries: [Entry]

    /// Lines that do not follow the format are left out.
    package init(parsing text: String) {
        entries = text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { Entry(line: $0) }
    }

    /// The table as it is now; empty when it cannot be read.
    package static func current() -> MountTable { MountTable(parsing: ProcFile.read("/proc/self/mountinfo") ?? "") }

    package var reelfsMounts: [Entry] { entries.filter(\.isReelfs) }

    package subscript(identifier: UInt64) -> Entry? { entries.first { $0.identifier == identifier } }

    /// The mount seen at this path when one is mounted exactly there: the uppermost of several. `nil`: the path is an
    /// ordinary directory, or cannot be reached.
    ///
    /// Asks no file system about its root, so that it neither fails nor waits on a mount that is stale or stuck.
    package static func mount(at path: String) -> Entry? {
        let descriptor = reelfs_open_path(path)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let information = ProcFile.read("/proc/self/fdinfo/\(descriptor)"), let identifier = mountIdentifier(inFdinfo: information),
            let entry = current()[identifier], ProcFile.link("/proc/self/fd/\(descriptor)") == entry.mountPoint
        else { return nil }
        return entry
    }

    /// The number behind `mnt_id:`.
    static func mountIdentifier(inFdinfo text: String) -> UInt64? {
        for line in text.split(separator: "\n") where line.hasPrefix("mnt_id:") {
            return UInt64(line.dropFirst("mnt_id:".count).drop { $0 == " " || $0 == "\t" })
        }
        return nil
    }
}

extension MountTable.Entry {
    /// `36 35 98:0 /root /mount/point options [tags…] - type source superoptions`.
    fileprivate init?(line: some Sequence<UInt8>) {
        let words = Array(line).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count >= 9, let dash = words[6...].firstIndex(where: { $0.elementsEqual([UInt8(ascii: "-")]) }), dash + 2 < words.count,
            let identifier = UInt64(String(decoding: words[0], as: UTF8.self)), let parent = UInt64(String(decoding: words[1], as: UTF8.self))
        else { return nil }
        self.init(
            identifier: identifier, parent: parent, device: String(decoding: words[2], as: UTF8.self), mountPoint: MountTable.unescaped(words[4]),
            type: MountTable.unescaped(words[dash + 1]), source: MountTable.unescaped(words[dash + 2]),
            options: String(decoding: words[5], as: UTF8.self))
    }
}

extension MountTable {
    /// Undoes `\ooo`, with which the kernel writes spaces, tabs, newlines, backslashes and `#`. Anything else behind a
    /// backslash stands for itself.
    static func unescaped(_ word: some Sequence<UInt8>) -> String {
        let bytes = Array(word)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), index + 3 < bytes.count, let value = octal(bytes[(index + 1)...(index + 3)]) {
                result.append(value)
                index += 4
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func octal(_ digits: ArraySlice<UInt8>) -> UInt8? {
        var value: UInt = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { return nil }
            value = value * 8 + UInt(digit - UInt8(ascii: "0"))
        }
        return UInt8(exactly: value)
    }
}
