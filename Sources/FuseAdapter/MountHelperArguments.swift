/// The arguments with which mount(8) calls `mount.reelfs`:
/// `mount.reelfs SPEC DIR [-sfnv] [-o OPTIONS] [-t TYPE.SUBTYPE]` (mount(8), "External helpers").
package struct MountHelperArguments: Hashable, Sendable {
    /// What to mount: a URL, several separated by spaces, a source's name, or `none` for all configured sources.
    package var specification: String
    package var directory: String
    /// The `-o` words joined as given; empty when there was none.
    package var options: String
    /// The subtype of `-t reelfs.webdav`: a source type.
    package var sourceType: String?
    /// `-f`: check everything, mount nothing.
    package var isFake: Bool
    package var isVerbose: Bool

    /// - Parameter words: the arguments behind the program's name, in any order.
    package static func parse(_ words: [String]) throws(MountError) -> MountHelperArguments {
        var places: [String] = []
        var options: [String] = []
        var sourceType: String?
        var isSloppy = false, isFake = false, isVerbose = false, takesFlags = true
        var index = 0
        while index < words.count {
            let word = words[index]
            index += 1
            if takesFlags && word == "--" {
                takesFlags = false
                continue
            }
            guard takesFlags, word.hasPrefix("-"), word.count > 1 else {
                places.append(word)
                continue
            }
            var letters = word.dropFirst()
            while let letter = letters.popFirst() {
                switch letter {
                case "n": break  // keeps /etc/mtab as it is: nothing of ours writes it
                case "s": isSloppy = true
                case "f": isFake = true
                case "v": isVerbose = true
                case "o", "t", "N":
                    var value = String(letters)
                    letters = ""
                    if value.isEmpty {
                        guard index < words.count else { throw MountError(.badOption, "-\(letter) needs a value") }
                        value = words[index]
                        index += 1
                    }
                    if letter == "o" {
                        options.append(value)
                    } else if letter == "t" {
                        sourceType = subtype(of: value)
                    } else {
                        throw MountError(.badOption, "mounting in another namespace (-N) is not supported")
                    }
                default:
                    throw MountError(.badOption, "unknown flag -\(letter)", advice: "mount.reelfs is called by mount(8); use `reelfs mount` by hand")
                }
            }
        }
        guard places.count == 2 else {
            throw MountError(.badOption, "mount.reelfs needs what to mount and where", advice: "mount.reelfs URL|NAME|none DIRECTORY [-o OPTIONS]")
        }
        var text = options.joined(separator: ",")
        if isSloppy { text = knownWords(of: text) }
        return MountHelperArguments(
            specification: places[0], directory: places[1], options: text, sourceType: sourceType, isFake: isFake, isVerbose: isVerbose)
    }

    /// The words of the command line that do the same: `mount [--type T] [-o OPTIONS] [--] [URL…] DIRECTORY`.
    package var commandLine: [String] {
        var words = ["mount"]
        if let sourceType { words += ["--type", sourceType] }
        if !options.isEmpty { words += ["-o", options] }
        words.append("--")
        if !["none", "reelfs", ""].contains(specification) { words += specification.split(separator: " ").map(String.init) }
        words.append(directory)
        return words
    }

    /// `webdav` of `reelfs.webdav` and of `fuse.reelfs.webdav`; `nil` of `reelfs`.
    private static func subtype(of type: String) -> String? {
        for prefix in ["fuse.reelfs.", "reelfs."] where type.hasPrefix(prefix) {
            let rest = type.dropFirst(prefix.count)
            return rest.isEmpty ? nil : String(rest)
        }
        return nil
    }

    /// `-s`: what is not known is left out instead of being an error.
    private static func knownWords(of text: String) -> String {
        let known = MountOptions.words(text).filter { word in (try? MountOptions.parse(MountOptions.escaped(word))) != nil }
        return known.map { MountOptions.escaped($0) }.joined(separator: ",")
    }
}
