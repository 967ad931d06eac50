import TestSupport
import Testing

@Suite("reelfs selftest", .serialized)
struct SelfTestTests {
    static let tree: FaultTree = {
        var random = RepeatableRandom(seed: 9)
        return FaultTree(["/films/film.bin": FaultTree.File(random.bytes(700_000))])
    }()

    @Test("the status tells whether a server can be used, with limits, or not")
    func statuses() async throws {
        try await ReelfsProcess.with { reelfs in
            for (faults, status, words) in [
                ([], 0, "can be used in full"), ([Fault(.ignoresRange)], 4, "with limits"),
                ([Fault(.contentRange(nil))], 1, "206 without Content-Range"),
                ([Fault(.loginRequired, .everything)], 1, "status 401"),
            ] as [([Fault], Int32, String)] {
                let origin = FaultOrigin(Self.tree, faults)
                defer { origin.stop() }
                let result = try await reelfs.command(["selftest", origin.url + "films/"]).run()
                #expect(result.status == status && result.output.contains(words), "\(result)")
                // It changes nothing anywhere, and asks nothing that could.
                #expect(origin.requests.allSatisfy { ["GET", "HEAD", "OPTIONS", "PROPFIND"].contains($0.method) })
            }
            #expect(reelfs.daemonPid == nil)
        }
    }

    @Test("no secret of a login, a link or a redirect is in the report, also when everything fails")
    func secrets() async throws {
        try await ReelfsProcess.with { reelfs in
            let password = try reelfs.secretFile("hush-password\n", "password")
            let fields = try reelfs.secretFile("X-Key: hush-field-value\nCookie: session=hush-cookie\n", "fields")
            let other = FaultOrigin(Self.tree, host: "127.0.0.2")
            defer { other.stop() }
            let faults: [[Fault]] = [
                [], [Fault(.redirectTo(other.base + "/films/film.bin?token=hush-token"))], [Fault(.status(403), .everything)],
                [Fault(.notHTTP, .everything)], [Fault(.contentRange("bytes 0-0/9"))], [Fault(.redirectTo("ftp://u:hush-user@h/?hush"))],
            ]
            for list in faults {
                let origin = FaultOrigin(Self.tree, list)
                defer { origin.stop() }
                let login = ["--user", "ann", "--password-file", password, "--header-file", fields]
                let link = origin.url + "films/film.bin?sig=hush-signature&exp=hush-expiry"
                for words in [
                    login + ["--type", "webdav", origin.url + "films/"], login + ["--type", "http", link],
                    login + ["--json", "--type", "http", link],
                ] {
                    let result = try await reelfs.command(["selftest"] + words, deadline: 120).run()
                    #expect(!result.output.contains("hush") && !result.errors.contains("hush"), "\(list): \(result)")
                    #expect(result.output.contains("127.0.0.1"))
                }
                let secret = try await reelfs.command(["selftest", "--type", "http", "-"], input: Array((origin.url + "films/hush-link.bin\n").utf8))
                    .run()
                #expect(!secret.output.contains("hush") && !secret.errors.contains("hush"), "\(list): \(secret)")
                #expect(other.requests.allSatisfy { $0["Authorization"] == nil && $0["X-Key"] == nil && $0["Cookie"] == nil })
            }
        }
    }

    @Test("a configured source is tested by its name, with its login")
    func configured() async throws {
        let origin = FaultOrigin(Self.tree)
        defer { origin.stop() }
        try await ReelfsProcess.with { reelfs in
            try await reelfs.check("add", origin.url, "--name", "cloud", "--type", "webdav", "--user", "ann", "--password-file", "-", input: "hush\n")
            let result = try await reelfs.check("selftest", "cloud")
            #expect(result.output.contains("film.bin, 700000 bytes"), "\(result)")
            #expect(origin.requests.allSatisfy { $0["Authorization"] != nil })
            let refused = try await reelfs.command(["selftest", "cloud", "--user", "x"]).run()
            #expect(refused.status == 2, "\(refused)")
        }
    }
}
