import TestSupport
import Testing

/// A mount that Samba shares: smbd reads it for others, with a user's rights of its own.
@Suite(
    "Through the mount: Samba", .serialized,
    .enabled(if: Nginx.missing == nil && TestTools.isRoot && TestTools.has("smbd") && TestTools.has("smbclient")))
struct SambaTests {
    @Test("smbclient lists and gets what the origin has, at any offset, and cannot write")
    func sharing() async throws {
        let directory = try TemporaryDirectory("samba")
        let root = try directory.directory("root")
        let bytes = try TreeMaker.makeFile(at: "\(root)/film 二.bin", size: 6_000_001)
        try FileTree.makeDirectory("\(root)/season")
        try FileTree.write(Array("text".utf8), to: "\(root)/season/notes.txt")
        let server = try await Nginx.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", "-o", "allow_other", server.url])
            for name in ["private", "run", "state", "cache", "lock"] { _ = try directory.directory(name) }
            let samba = try await ServerProcess.start("smbd") { port in
                let file = try directory.file(
                    "smb.conf",
                    """
                    [global]
                        server role = standalone server
                        map to guest = Bad User
                        interfaces = lo
                        bind interfaces only = yes
                        smb ports = \(port)
                        disable netbios = yes
                        load printers = no
                        printcap name = /dev/null
                        private dir = \(directory.path)/private
                        pid directory = \(directory.path)/run
                        ncalrpc dir = \(directory.path)/run
                        state directory = \(directory.path)/state
                        cache directory = \(directory.path)/cache
                        lock directory = \(directory.path)/lock
                        log file = \(directory.path)/smbd.log
                    [films]
                        path = \(mnt)
                        guest ok = yes
                        guest only = yes
                        force user = root
                        read only = yes
                    """)
                return ["smbd", "--foreground", "--no-process-group", "--debug-stdout", "-s", file]
            }
            func client(_ commands: String) async throws -> Command.Result {
                try await Command(
                    ["smbclient", "-N", "-p", "\(samba.port)", "//127.0.0.1/films", "-c", "lcd \(directory.path); \(commands)"],
                    environment: ["PATH": TestTools.environment["PATH"] ?? "/usr/bin:/bin", "HOME": directory.path, "LANG": "C.UTF-8"]
                ).run()
            }
            let listed = try await client("ls; ls season/*")
            #expect(listed.status == 0 && listed.output.contains("film 二.bin") && listed.output.contains("6000001"), "\(listed)")
            #expect(listed.output.contains("notes.txt"), "\(listed)")
            let got = try await client("get \"film 二.bin\" copy.bin")
            #expect(got.status == 0, "\(got)")
            #expect(try await contents("\(directory.path)/copy.bin") == Octets(bytes))
            // Half is there: the rest is read from the middle on.
            try await shell("truncate", "-s", "3000000", "\(directory.path)/copy.bin")
            #expect(try await client("reget \"film 二.bin\" copy.bin").status == 0)
            #expect(try await contents("\(directory.path)/copy.bin") == Octets(bytes))
            let written = try await client("put copy.bin other.bin")
            #expect(written.status != 0 || written.output.contains("DENIED") || written.output.contains("WRITE_PROTECTED"), "\(written)")
            #expect(try FileTree.names(root).sorted() == ["film 二.bin", "season"])
        }
    }
}
