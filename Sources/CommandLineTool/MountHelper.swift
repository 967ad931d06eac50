internal import Configuration

/// The words that mount(8) gives to `mount.reelfs`: `SPEC DIR [-sfnv] [-N NAMESPACE] [-o OPTIONS] [-t TYPE]`.
enum MountHelper {
    /// Options that are meant for mount(8), fstab or systemd, not for a filesystem.
    private static let ignored: Set<String> = [
        "defaults", "auto", "noauto", "user", "users", "nouser", "owner", "group", "nofail", "_netdev", "rw", "exec", "suid", "dev", "async", "atime",
        "relatime", "norelatime", "strictatime", "lazytime", "diratime", "loud", "silent",
    ]

    /// Options that are flags of `reelfs mount`: `password-file=FILE` is `--password-file FILE`. `user=` belongs to mount(8).
    private static var translated: [String: Flag] {
        var result: [String: Flag] = [:]
        for flag in CommandTable.sourceFlags + CommandTable.cacheFlags + CommandTable.global where flag.name != "user" && flag.name != "help" {
            result[flag.name] = flag
        }
        result["username"] = CommandTable.sourceFlags.first { $0.name == "user" }
        return result
    }

    /// The same as words of `reelfs`; `nil`: nothing is to be done (`-f`, a rehearsal).
    static func translate(_ words: [String]) throws(CommandFailure) -> [String]? {
        var operands: [String] = []
        var options: [String] = []
        var result = ["mount"]
        var isRehearsal = false
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if word == "--help" { return ["help", "mount"] }
            if word == "--version" { return ["--version"] }
            var letters = word.dropFirst()
            while let letter = letters.popFirst() {
                switch letter {
                case "f": isRehearsal = true
                case "v": result.append("--verbose")
                case "s", "n", "r", "w": break
                case "o", "t", "N":
                    let attached = String(letters)
                    letters = ""
                    guard let value = attached.isEmpty ? rest.popFirst() : attached else { throw .usage("-\(letter) needs a value", advice: advice) }
                    if letter == "o" { options.append(value) }
                default: throw .usage("there is no flag -\(letter)", advice: advice)
                }
            }
        }
        guard operands.count == 2 else { throw .usage("mount.reelfs takes a source and a directory", advice: advice) }
        if isRehearsal { return nil }
        var passed: [String] = []
        for option in options.flatMap({ split($0) }) { try take(option, &passed, &result) }
        if !passed.isEmpty { result += ["--option", passed.joined(separator: ",")] }
        result.append("--")
        switch operands[0] {
        case "all", "none", "reelfs": break
        case let spec where spec.contains("://") || PathText.isLocalPath(spec): result.append(spec)
        case let spec: result += spec.split(separator: ",").map(String.init)
        }
        result.append(operands[1])
        return result
    }

    private static func take(_ option: String, _ passed: inout [String], _ result: inout [String]) throws(CommandFailure) {
        let equals = option.firstIndex(of: "=")
        let name = String(option[..<(equals ?? option.endIndex)])
        if name.hasPrefix("x-") || name == "comment" || ignored.contains(option) || option.isEmpty { return }
        guard let flag = translated[name] else {
            passed.append(option)
            return
        }
        if flag.value == nil {
            result.append("--\(flag.name)")
        } else if let equals {
            result.append("--\(flag.name)=\(option[option.index(after: equals)...])")
        } else {
            throw .usage("the option \(name) needs a value", advice: "\(name)=\(flag.value ?? "VALUE")")
        }
    }

    /// At commas; `\,` is a comma in a value.
    private static func split(_ text: String) -> [String] {
        var result = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                if character != "," { result[result.count - 1].append("\\") }
                result[result.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "," {
                result.append("")
            } else {
                result[result.count - 1].append(character)
            }
        }
        if isEscaped { result[result.count - 1].append("\\") }
        return result
    }

    private static let advice = "see mount.reelfs(8)"
}
