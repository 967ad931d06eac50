/// What a user may ask of a mount with `-o`. Every mount is read-only, `nosuid` and `nodev`, whatever is asked.
package struct MountOptions: Hashable, Sendable {
    /// Users other than the one who mounts may look in.
    package var allowOther = false
    /// Who owns everything in the mount; `nil`: the daemon's user and group.
    package var uid: UInt32?
    package var gid: UInt32?
    /// Permissions taken away from rw-rw-rw- for files and rwxrwxrwx for directories; `nil`: 022.
    package var umask: UInt16?
    /// Nothing in the mount can be executed.
    package var noExec = false
    /// The kernel checks permissions by mode, owner and group. Always so when more than the mounting user looks in, or
    /// when owner or mode were asked for: they would mean nothing otherwise.
    package var defaultPermissions = false
    /// What `df` and `mount` show as the source: an address without secrets, or names.
    package var fsName = "reelfs"

    package init() {}

    /// The options in one `-o` text (or several, one after another: the last word wins).
    package static func parse(_ texts: String...) throws(MountError) -> MountOptions {
        var options = MountOptions()
        for text in texts { try options.apply(text) }
        return options
    }

    /// Adds the words of one `-o` text, separated by commas; `\,` is a comma inside a word and `\\` a backslash.
    package mutating func apply(_ text: String) throws(MountError) {
        for word in Self.words(text) where !word.isEmpty { try apply(word: word) }
    }

    private mutating func apply(word: String) throws(MountError) {
        let (name, value) = Self.split(word)
        switch name {
        case "allow_other": allowOther = true
        case "default_permissions": defaultPermissions = true
        case "noexec": noExec = true
        case "exec": noExec = false
        case "uid": uid = try Self.number(value, of: name, radix: 10)
        case "gid": gid = try Self.number(value, of: name, radix: 10)
        case "umask":
            let mask = try Self.number(value, of: name, radix: 8)
            guard mask <= 0o777 else { throw MountError(.badOption, "umask=\(value ?? "") is more than 777", advice: "for example umask=077") }
            umask = UInt16(mask)
        case "fsname":
            guard let value, !value.isEmpty else { throw MountError(.badOption, "fsname= without a name") }
            fsName = value
        case "subtype" where value == "reelfs": break
        case "suid", "dev":
            throw MountError(.badOption, "option \(name) is never given to a reelfs mount", advice: "leave it out")
        default:
            guard Self.isIgnored(name, hasValue: value != nil) else {
                throw MountError(
                    .badOption, "unknown mount option \(word)",
                    advice: "known are allow_other, uid=, gid=, umask=, ro, noexec, default_permissions, fsname= and the words of fstab")
            }
        }
    }

    /// Words that mean something to mount(8), systemd or other file systems, or that always hold here. `rw` is among
    /// them because mount(8) adds it by itself when fstab does not say `ro`.
    package static func isIgnored(_ name: String, hasValue: Bool) -> Bool {
        if name.hasPrefix("x-") || name.hasPrefix("X-") || name == "comment" { return true }
        guard !hasValue else { return ["helper", "uhelper", "max_read"].contains(name) }
        return ignoredWords.contains(name)
    }

    private static let ignoredWords: Set<String> = [
        "ro", "rw", "defaults", "nosuid", "nodev", "auto", "noauto", "nofail", "_netdev", "_rnetdev", "user", "nouser", "users", "owner", "noowner",
        "group", "nogroup", "async", "sync", "dirsync", "atime", "noatime", "relatime", "norelatime", "strictatime", "nostrictatime", "diratime",
        "nodiratime", "lazytime", "nolazytime", "mand", "nomand", "iversion", "noiversion", "silent", "loud", "nonempty", "symfollow", "nosymfollow",
    ]

    /// The words between commas, escapes undone.
    static func words(_ text: String) -> [String] {
        var words = [""]
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                words[words.count - 1].unicodeScalars.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "," {
                words.append("")
            } else {
                words[words.count - 1].unicodeScalars.append(scalar)
            }
        }
        return words
    }

    /// `name=value` apart.
    static func split(_ word: String) -> (name: String, value: String?) {
        guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    private static func number(_ value: String?, of name: String, radix: Int) throws(MountError) -> UInt32 {
        guard let value, value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = UInt32(value, radix: radix)
        else {
            let example = radix == 8 ? "umask=077" : "\(name)=1000; `id` shows the numbers"
            throw MountError(
                .badOption, "\(name)= needs \(radix == 8 ? "an octal number" : "a number"), not \"\(value ?? "")\"", advice: "for example \(example)")
        }
        return number
    }
}

extension MountOptions {
    /// Whether the kernel is to check permissions.
    var checksPermissions: Bool { defaultPermissions || allowOther || uid != nil || gid != nil || umask != nil }

    /// The `-o` text for libfuse. `max_read` must stand here and in the session's init alike, or the session dies.
    func libfuseText(maximumRead: Int) -> String {
        var words = ["ro", "nosuid", "nodev", "subtype=reelfs", "fsname=" + Self.escaped(fsName), "max_read=\(maximumRead)"]
        if allowOther { words.append("allow_other") }
        if noExec { words.append("noexec") }
        if checksPermissions { words.append("default_permissions") }
        return words.joined(separator: ",")
    }

    /// Commas and backslashes as libfuse wants them, and no control characters, which would break lines of `/etc/mtab`.
    static func escaped(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if scalar.value < 0x20 || scalar.value == 0x7F {
                result.append("?")
                continue
            }
            if scalar == "," || scalar == "\\" { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }
}
