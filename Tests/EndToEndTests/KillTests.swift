import Glibc
import TestSupport
import Testing

/// kill -9 at random moments of fetching, evicting and listing; then everything is as it should be.
@Suite("Killed daemons", .serialized, .enabled(if: Nginx.missing == nil && ReelfsProcess.builtBinary != nil))
struct KillTests {
    @Test("after kill -9 at any moment no byte is wrong, the cache is clean and within its limit, and no directory looks empty")
    func killed() async throws {
        let directory = try TemporaryDirectory("killed")
        let root = try directory.directory("root")
        var files: [String: Octets] = [:]
        for number in 0..<12 {
            let name = "film \(number).bin"
            files[name] = Octets(try TreeMaker.makeFile(at: "\(root)/\(name)", size: 3_000_000 + number * 77_777, seed: UInt64(number)))
        }
        for number in 0..<40 {
            try FileTree.makeDirectory("\(root)/directory \(number)")
            try FileTree.write([1, 2, 3], to: "\(root)/directory \(number)/three.bin")
        }
        let server = try await Nginx.start(root)
        var random = RepeatableRandom(seed: 9_000_001)
        try await ReelfsProcess.with { reelfs in
            // A third of what the files need: blocks are thrown out all the time.
            let words = ["--type", "webdav", "--cache-size", "12M", "--listing-seconds", "1", server.url]
            let mnt = try await reelfs.mount(words)
            for round in 0..<(TestTools.isLongRun ? 200 : 10) {
                let pid = try #require(reelfs.daemonPid)
                // What programs read and list until the daemon is gone.
                let work = "cd '\(mnt)' && while :; do for f in *.bin; do cat \"$f\" || exit; ls -R . || exit; done; done"
                async let working = Command(["sh", "-c", "(\(work)) >/dev/null 2>&1"], deadline: 60).run()
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...900, using: &random)))
                kill(pid, SIGKILL)
                #expect(try await reelfs.daemonEnds(within: 5))
                _ = try await working
                #expect(try await reelfs.mount(words) == mnt)
                try await reelfs.check("cache", "verify")
                let used = try await shell("du", "-s", "--block-size=1", "\(reelfs.cacheDirectory)").output.prefix { $0.isNumber }
                #expect((Int(used) ?? .max) < 16 << 20, "\(used) bytes, round \(round)")
                #expect(try await shell("ls", mnt).lines.count == 52)
                for name in files.keys.sorted().shuffled(using: &random).prefix(3) {
                    #expect(try await contents("\(mnt)/\(name)") == files[name], "\(name), round \(round)")
                }
                #expect(try await shell("find", mnt, "-name", "three.bin").lines.count == 40)
            }
        }
    }
}
