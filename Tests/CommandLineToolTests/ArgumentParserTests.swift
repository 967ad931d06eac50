import Glibc
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("Reading command lines")
struct ArgumentParserTests {
    private func parsed(_ line: String) throws -> ParsedCommand {
        guard case .run(let parsed) = try ArgumentParser.parse(line.split(separator: " ").map(String.init)) else {
            throw CommandFailure(.failure, "not a command")
        }
        return parsed
    }

    @Test("flags stand anywhere, joined to their value or not, short ones together")
    func flags() throws {
        let mount = try parsed("--quiet mount a -fo ro -o allow_other,uid=1 --type=http /m --cache-dir /c")
        #expect(mount.path == ["mount"])
        #expect(mount.operands == ["a", "/m"])
        #expect(mount.has("foreground"))
        #expect(mount.all("option") == ["ro", "allow_other,uid=1"])
        #expect(mount.value("type") == "http")
        #expect(mount.value("cache-dir") == "/c")
        #expect(mount.has("quiet"))
        #expect(try parsed("mount -oro /m").value("option") == "ro")
        #expect(try parsed("add --name= -").value("name") == "")
    }

    @Test("-- ends the flags, and a lone - is an operand")
    func operands() throws {
        #expect(try parsed("remove -- -x --purge").operands == ["-x", "--purge"])
        #expect(try parsed("add - --name x").operands == ["-"])
    }

    @Test("inner commands are found, with their own flags")
    func inner() throws {
        let list = try parsed("cache --json list cloud/a")
        #expect(list.path == ["cache", "list"])
        #expect(list.operands == ["cloud/a"])
        #expect(list.has("json"))
    }

    @Test(
        "what is not understood says what to do",
        arguments: [
            ("mont /m", "did you mean mount?"), ("mount --fotreground /m", "did you mean --foreground?"), ("cache lst", "did you mean cache list?"),
            ("add", "see: reelfs add --help"), ("add a b", "see: reelfs add --help"), ("cache", "list, show"),
            ("mount -x /m", "see: reelfs mount --help"),
            ("add --name", "--name NAME"), ("blah", "see: reelfs --help"), ("--foo list", "see: reelfs --help"),
        ])
    func mistakes(_ line: String, _ advice: String) {
        do throws(CommandFailure) {
            _ = try ArgumentParser.parse(line.split(separator: " ").map(String.init))
            Issue.record("understood: \(line)")
        } catch {
            #expect(error.exit == .usage)
            #expect(error.advice?.contains(advice) == true, "\(error)")
        }
    }

    @Test("a flag given twice or a value for a flag without one is refused")
    func twice() {
        for line in ["add u --name a --name b", "list --json=1"] {
            #expect(throws: CommandFailure.self) { try ArgumentParser.parse(line.split(separator: " ").map(String.init)) }
        }
    }

    @Test("the word that is missing is named, and not those that may be left out")
    func missingWord() throws {
        for (line, words) in [("mount", "MOUNTPOINT"), ("cache show", "PATH"), ("add", "URL|-")] {
            do {
                _ = try ArgumentParser.parse(line.split(separator: " ").map(String.init))
                Issue.record("\(line) is taken")
            } catch {
                #expect(error.message == "\(words) is missing")
            }
        }
    }

    @Test("help and version are found before anything else is missing")
    func help() throws {
        func help(_ line: String) throws -> [String]? {
            if case .help(let path) = try ArgumentParser.parse(line.split(separator: " ").map(String.init)) { path } else { nil }
        }
        #expect(try help("") == [])
        #expect(try help("--help") == [])
        #expect(try help("add -h") == ["add"])
        #expect(try help("cache drop --help") == ["cache", "drop"])
        #expect(try help("help cache drop") == ["cache", "drop"])
        guard case .version = try ArgumentParser.parse(["--version"]) else {
            Issue.record("no version")
            return
        }
    }

    @Test("the table is sound: no flag of a command hides a global one, and no letter is taken twice")
    func table() {
        for command in CommandTable.commands + CommandTable.commands.flatMap(\.subcommands) {
            let flags = command.flags + CommandTable.global
            #expect(Set(flags.map(\.name)).count == flags.count, "\(command.name)")
            #expect(Set(flags.compactMap(\.short)).count == flags.compactMap(\.short).count, "\(command.name)")
            #expect(command.isHidden || command.name == "help" || !command.examples.isEmpty || !command.subcommands.isEmpty, "\(command.name)")
        }
    }
}

@Suite("mount.reelfs")
struct MountHelperTests {
    @Test(
        "what mount(8) says is said in words of reelfs mount",
        arguments: [
            ("https://h/ /m -o rw", "mount -- https://h/ /m"),
            ("https://h/ /m -o rw,allow_other,uid=1 -o x-systemd.automount,_netdev", "mount --option allow_other,uid=1 -- https://h/ /m"),
            ("a,b /m -v -s -n -t reelfs", "mount --verbose -- a b /m"),
            ("all /m", "mount -- /m"),
            ("/l.txt /m -o noauto,username=ann,password-file=/etc/p,netrc", "mount --user=ann --password-file=/etc/p --netrc -- /l.txt /m"),
            ("cloud /m -oconfig-dir=/etc/reelfs,user,user=ann", "mount --config-dir=/etc/reelfs --option user=ann -- cloud /m"),
            ("u:// /m -o rewrite=a=b\\,c", "mount --rewrite=a=b,c -- u:// /m"),
        ])
    func translation(_ line: String, _ expected: String) throws {
        #expect(try MountHelper.translate(line.split(separator: " ").map(String.init))?.joined(separator: " ") == expected)
    }

    @Test("a rehearsal does nothing, and wrong words are refused")
    func others() throws {
        #expect(try MountHelper.translate(["a", "/m", "-f"]) == nil)
        for words in [["a"], ["a", "/m", "x"], ["a", "/m", "-Z"], ["a", "/m", "-o"], ["a", "/m", "-o", "password-file"]] {
            #expect(throws: CommandFailure.self) { try MountHelper.translate(words) }
        }
    }

    @Test("mounts of reelfs are found in the kernel's table, with their spaces")
    func mountInfo() {
        let text = """
            36 35 98:0 / / rw,noatime master:1 - ext4 /dev/root rw
            40 36 0:50 / /home/ann/my\\040films rw,nosuid shared:5 - fuse.reelfs reelfs ro
            41 36 0:51 / /mnt/fuse.reelfs rw - fuse.other x rw
            42 36 0:52 / /mnt/\\345\\275\\261 rw - fuse.reelfs x rw
            broken
            43 36 0:53 / /x - fuse.reelfs
            """
        #expect(MountInfo.mountPoints(in: text) == ["/home/ann/my films", "/mnt/影"])
    }

    @Test("paths lose . and .. by text, and links by looking, but not inside a mount")
    func paths() throws {
        #expect(PathText.absolute("a/./b//../c/", in: "/w") == "/w/a/c")
        #expect(PathText.absolute("/../..", in: "/w") == "/")
        let shell = try TestShell()
        let real = try shell.root.directory("real")
        symlink(real, shell.root.path + "/link")
        #expect(RealPath.resolve(shell.root.path + "/link/x/y", mountPoints: []) == real + "/x/y")
        #expect(RealPath.resolve(shell.root.path + "/link/x", mountPoints: [shell.root.path + "/link"]) == shell.root.path + "/link/x")
        #expect(RealPath.resolve("/", mountPoints: []) == "/")
        #expect(RealPath.resolve("/usr/../usr", mountPoints: []).hasPrefix("/usr"))
    }
}
