import ControlProtocol
import Glibc
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("Text of the command line")
struct TextTests {
    @Test(
        "cells are counted as terminals do",
        arguments: [
            ("", 0), ("abc", 3), ("电影", 4), ("é", 1), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("🇨🇳", 2),
            ("한", 2), ("Ａ", 2), ("ﾊ", 1), ("❤️", 2), ("\u{200B}", 0),
        ])
    func widths(_ text: String, _ cells: Int) { #expect(TextColumns.width(text) == cells) }

    @Test("a text that does not fit loses its middle, never half a character")
    func fitting() {
        #expect(TextColumns.fitted("abcdefghij", 10) == "abcdefghij")
        #expect(TextColumns.fitted("abcdefghij", 5) == "ab…ij")
        #expect(TextColumns.fitted("电影电影电影", 6) == "电…影")
        for limit in 0..<20 { #expect(TextColumns.width(TextColumns.fitted("a电b影c👩‍👩‍👧d电e影", limit)) <= limit) }
    }

    @Test("columns line up under wide characters, and control characters cannot leave a cell")
    func tables() {
        let table = TextColumns.table(["NAME", "SIZE", "URL"], [["电影", "5", "u"], ["a\n\u{1B}[2J", "10", "v"]], right: [1])
        #expect(table == "NAME             SIZE  URL\n电影                5  u\na\\u{a}\\u{1b}[2J    10  v\n")
    }

    @Test("a bar never takes the whole line, and shows what is left")
    func bar() {
        var progress = TransferProgress(
            item: "电影/film.mkv", itemsDone: 2, itemsTotal: 12, bytesDone: 512 << 20, bytesTotal: 1 << 30, bytesPerSecond: 64 << 20)
        #expect(ProgressFormatter.bar(progress, width: 80) == "2/12 电影/film.mkv    [#######--------] 50% 512 MiB of 1 GiB 64 MiB/s 0:08 left")
        #expect(ProgressFormatter.plain(progress) == "2/12 电影/film.mkv 50% 512 MiB of 1 GiB 64 MiB/s 0:08 left")
        progress.bytesTotal = nil
        progress.itemsTotal = nil
        #expect(ProgressFormatter.plain(progress) == "2/? 电影/film.mkv 512 MiB 64 MiB/s")
        for total: UInt64? in [nil, 0, 1, .max] {
            for rate: UInt64 in [0, 1, .max] {
                for width in [0, 1, 20, 40, 60, 80, 200] {
                    let extreme = TransferProgress(
                        item: "电\u{1B}[2J" + String(repeating: "影", count: 100), itemsDone: .max, itemsTotal: total, bytesDone: .max,
                        bytesTotal: total,
                        bytesPerSecond: rate)
                    let line = ProgressFormatter.bar(extreme, width: width)
                    #expect(TextColumns.width(line) <= max(width - 1, 10))
                    #expect(!line.contains("\u{1B}"))
                }
            }
        }
    }

    @Test("times are short")
    func durations() {
        #expect(ProgressFormatter.duration(5) == "0:05")
        #expect(ProgressFormatter.duration(760) == "12:40")
        #expect(ProgressFormatter.duration(3 * 3600 + 420) == "3:07:00")
        #expect(ProgressFormatter.duration(.max).hasSuffix(" d"))
    }

    @Test("plain lines come with a new file, but no more than one a second, and every five seconds")
    func plain() {
        var plain = PlainProgress()
        let start = ContinuousClock.now
        func line(_ item: String, _ milliseconds: Int) -> Bool {
            let progress = TransferProgress(item: item, itemsDone: 0, itemsTotal: 1, bytesDone: 0, bytesTotal: 1, bytesPerSecond: 0)
            return plain.line(progress, at: start + .milliseconds(milliseconds)) != nil
        }
        #expect(line("a", 0))
        #expect(!line("a", 1000))
        #expect(!line("b", 900))
        #expect(line("b", 1100))
        #expect(!line("b", 6000))
        #expect(line("b", 6100))
    }
}

@Suite("Help, manual and completions")
struct GeneratedTextTests {
    @Test("the help of a command")
    func golden() {
        #expect(
            HelpWriter.command(["cache", "drop"]) == """
                reelfs cache drop: forget the bytes of files or directories

                Usage: reelfs cache drop PATH... [FLAGS]

                What is being read stays.

                Flags of all commands:
                      --cache-dir DIR       the cache to use, and with it the daemon (default:
                                            ~/.cache/reelfs)
                      --config-dir DIR      the configuration to use (default: ~/.config/reelfs)
                      --log-level LEVEL     how much a daemon that this command starts logs
                  -v, --verbose             say more on the standard error
                  -q, --quiet               say nothing but errors
                  -h, --help                show help for the command

                Without a running daemon: All of it, for SOURCE/PATH.

                Examples:
                  reelfs cache drop cloud/old
                      make room

                """)
        #expect(HelpWriter.command(["cache", "none"]) == nil)
        #expect(HelpWriter.command(["none"]) == nil)
    }

    @Test("no line of help is wider than 80 columns, examples apart, and hidden commands are not shown")
    func widths() {
        var texts = [HelpWriter.program()]
        for command in CommandTable.commands where !command.isHidden {
            texts += [HelpWriter.command([command.name]) ?? ""]
            texts += command.subcommands.map { HelpWriter.command([command.name, $0.name]) ?? "" }
        }
        for text in texts {
            #expect(!text.isEmpty)
            #expect(!text.contains("_generate"))
            #expect(!text.contains("until-unmounted"))
            let body = text.split(separator: "\nExamples:").first ?? ""
            for line in body.split(separator: "\n") where !line.hasPrefix("Usage:") { #expect(TextColumns.width(String(line)) <= 80, "\(line)") }
        }
    }

    private static let root = String(#filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined())

    @Test("what is checked in is fresh (make it with: reelfs _generate .)")
    func fresh() async throws {
        if getenv("REELFS_GENERATE") != nil {
            let shell = try TestShell()
            #expect(await shell.run(["_generate", Self.root]).code == 0)
        }
        for file in GenerateCommand.files() {
            let found = TextFile.read("\(Self.root)/\(file.path)")
            #expect(found == file.content, "\(file.path) is not fresh")
        }
    }

    @Test("every flag that is shown is in the manual and in all completions")
    func complete() {
        let texts = Dictionary(uniqueKeysWithValues: GenerateCommand.files().map { ($0.path, $0.content) })
        for command in CommandTable.commands where !command.isHidden {
            for flag in (command.flags + command.subcommands.flatMap(\.flags)) where !flag.isHidden {
                #expect(texts["man/reelfs.1"]?.contains("\\-\\-\(Roff.escaped(flag.name))") == true, "\(flag.name)")
                #expect(texts["completions/reelfs.bash"]?.contains("--\(flag.name)") == true, "\(flag.name)")
                #expect(texts["completions/_reelfs"]?.contains("--\(flag.name)") == true, "\(flag.name)")
                #expect(texts["completions/reelfs.fish"]?.contains("-l \(flag.name)") == true, "\(flag.name)")
            }
        }
        for (path, text) in texts {
            #expect(!text.contains("until-unmounted") && !text.contains("until\\-unmounted"), "\(path)")
        }
    }

    @Test(
        "bash completes commands, inner commands, flags and their values",
        arguments: [
            ("reelfs mou", "mount"), ("reelfs cache ve", "verify"), ("reelfs mount --fore", "--foreground"), ("reelfs add --type web", "webdav"),
            ("reelfs --cache-dir /x unm", "unmount"), ("reelfs cache limit --min", "--min-free"),
        ])
    func bash(_ line: String, _ expected: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let script = """
            compopt() { :; }
            source '\(Self.root)/completions/reelfs.bash'
            COMP_WORDS=(\(words.joined(separator: " ")))
            COMP_CWORD=\(words.count - 1)
            _reelfs
            [[ ${COMPREPLY[*]} == '\(expected)' ]]
            """
        let code = await Blocking.run { () -> Int32? in
            guard let pid = ChildProcess.start(["bash", "-c", script]) else { return nil }
            return ChildProcess.wait(pid, for: .seconds(10))
        }
        #expect(code == 0)
    }
}
