import TestSupport
import Testing

@Suite("Through the mount: every kind of server", .serialized)
struct EveryServerTests {
    @Test("hard names, true sizes, every byte", arguments: Origin.present)
    func everyByte(origin: Origin) async throws {
        let directory = try TemporaryDirectory("origin")
        let root = try directory.directory("root")
        try TreeMaker.makeHardTree(at: root)
        let server = try await origin.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", origin.type, server.url])
            try await shell("ls", "-lR", mnt)
            try await expectSameTree(mnt, root, comment: origin.rawValue) { origin.hides($0) }
            #expect(try await Blocking.run { try FileTree.names("\(mnt)/empty") } == [])
            if origin.tellsTimes {
                let facts = try await Blocking.run { try FileTree.facts("\(mnt)/top.txt") }
                #expect(facts.modifiedSeconds == (try FileTree.facts("\(root)/top.txt").modifiedSeconds))
            }
        }
    }

    @Test("the type is found out when it is not given", arguments: Origin.present)
    func detects(origin: Origin) async throws {
        let directory = try TemporaryDirectory("origin")
        let root = try directory.directory("root")
        let bytes = try TreeMaker.makeFile(at: "\(root)/a file.bin", size: 100_000)
        let server = try await origin.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount([server.url])
            #expect(try await contents("\(mnt)/a file.bin") == Octets(bytes))
        }
    }

    @Test("a link to one file is a mount with one file", arguments: [Origin.nginxPages, .demoPages, .python].filter { $0.missing == nil })
    func oneFile(origin: Origin) async throws {
        let directory = try TemporaryDirectory("origin")
        let root = try directory.directory("root")
        let bytes = try TreeMaker.makeFile(at: "\(root)/one.bin", size: 200_001)
        let server = try await origin.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "http", server.url + "one.bin"])
            #expect(try await Blocking.run { try FileTree.names(mnt) } == ["one.bin"])
            #expect(try await contents("\(mnt)/one.bin") == Octets(bytes))
        }
    }

    @Test("a list of links is a directory")
    func list() async throws {
        let directory = try TemporaryDirectory("origin")
        let root = try directory.directory("root")
        let first = try TreeMaker.makeFile(at: "\(root)/one.bin", size: 70_000),
            second = try TreeMaker.makeFile(at: "\(root)/two.bin", size: 9, seed: 9)
        let server = try await Origin.demoPages.start(root)
        let list = try directory.file("links.txt", "\(server.url)one.bin\n\(server.url)two.bin|另一个 name.bin\n\(server.url)two.bin|sized.bin|9\n")
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "list", list])
            #expect(try await Blocking.run { try FileTree.names(mnt) } == ["one.bin", "sized.bin", "另一个 name.bin"])
            #expect(try await contents("\(mnt)/one.bin") == Octets(first))
            #expect(try await contents("\(mnt)/另一个 name.bin") == Octets(second))
            #expect(try await contents("\(mnt)/sized.bin") == Octets(second))
        }
    }

    @Test("ten thousand files in a directory are listed, and again from memory", .enabled(if: Nginx.missing == nil))
    func manyFiles() async throws {
        let directory = try TemporaryDirectory("origin")
        let root = try directory.directory("root")
        for index in 0..<10_000 { try FileTree.write([], to: "\(root)/file \(index)") }
        let server = try await Origin.nginxDav.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", "webdav", server.url])
            for _ in 0..<2 { #expect(try await shell("ls", "-l", mnt).lines.count == 10_001) }
        }
    }
}
