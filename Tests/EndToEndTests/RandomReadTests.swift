import Glibc
import TestSupport
import Testing

@Suite("Through the mount: random reads equal the original", .serialized)
struct RandomReadTests {
    @Test("any handles, offsets, sizes, evictions, remounts and kills", arguments: [Origin.nginxDav, .nginxPages].filter { $0.missing == nil })
    func randomReads(origin: Origin) async throws {
        var random = RepeatableRandom.forTest(fallback: 4711)
        let directory = try TemporaryDirectory("random")
        let root = try directory.directory("root")
        let sizes = [1, 65_535, 65_536, 65_537, 400_000, 5_000_003]
        var originals: [[UInt8]] = []
        for (index, size) in sizes.enumerated() {
            originals.append(try TreeMaker.makeFile(at: "\(root)/\(index).bin", size: size, seed: UInt64(index)))
        }
        let server = try await origin.start(root)
        let rounds = TestTools.isLongRun ? 3000 : 300
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", origin.type, server.url])
            var handles: [(descriptor: CInt, file: Int)] = []
            defer { for handle in handles { Glibc.close(handle.descriptor) } }
            for round in 0..<rounds {
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<15 where handles.count < 20:
                    let file = Int.random(in: 0..<sizes.count, using: &random)
                    let descriptor = await Blocking.run { Glibc.open("\(mnt)/\(file).bin", O_RDONLY | O_CLOEXEC) }
                    #expect(descriptor >= 0, "seed \(random.seed), round \(round)")
                    if descriptor >= 0 { handles.append((descriptor, file)) }
                case 15..<20 where !handles.isEmpty:
                    Glibc.close(handles.remove(at: Int.random(in: 0..<handles.count, using: &random)).descriptor)
                case 20: try await reelfs.check("cache", "clear")
                case 21 where round > 50:
                    for handle in handles { Glibc.close(handle.descriptor) }
                    handles = []
                    if Bool.random(using: &random), let pid = reelfs.daemonPid {
                        kill(pid, SIGKILL)
                        #expect(try await reelfs.daemonEnds(within: 5))
                    } else {
                        try await reelfs.check("unmount", mnt)
                    }
                    _ = try await reelfs.mount(["--type", origin.type, server.url])
                default:
                    guard let handle = handles.randomElement(using: &random) else { continue }
                    let original = originals[handle.file]
                    let offset = Int.random(in: 0...(original.count + 10), using: &random)
                    let count = Bool.random(using: &random) ? Int.random(in: 1...5000, using: &random) : Int.random(in: 1...2_000_000, using: &random)
                    let descriptor = handle.descriptor
                    let read = await Blocking.run { () -> [UInt8]? in
                        var buffer = [UInt8](repeating: 0xAA, count: count)
                        let got = pread(descriptor, &buffer, count, off_t(offset))
                        return got < 0 ? nil : Array(buffer.prefix(got))
                    }
                    let wanted = offset < original.count ? Array(original[offset..<min(offset + count, original.count)]) : []
                    #expect(
                        read.map { Octets($0) } == Octets(wanted),
                        "seed \(random.seed), round \(round), file \(handle.file), offset \(offset), count \(count)")
                }
            }
        }
    }

    /// `VirtualTreeTests` runs the same exercise on the tree in memory.
    @Test("the exercise of the tree in memory: lists, stats, opens and reads", arguments: [Origin.demoDav, .apacheDav].filter { $0.missing == nil })
    func exercise(origin: Origin) async throws {
        var random = RepeatableRandom.forTest(fallback: 815)
        let directory = try TemporaryDirectory("exercise")
        let root = try directory.directory("root")
        try TreeMaker.makeHardTree(at: root)
        var reference = ReferenceTree()
        for path in try FileTree.files(below: root) where !origin.hides(path) {
            reference.add(path, try FileTree.read("\(root)/\(path)"), modified: try FileTree.facts("\(root)/\(path)").modifiedSeconds)
        }
        reference.addDirectory("empty")
        let server = try await origin.start(root)
        try await ReelfsProcess.with { reelfs in
            let mnt = try await reelfs.mount(["--type", origin.type, server.url])
            let operations = TestTools.isLongRun ? 10_000 : 1000
            let differences = try await TreeExercise(tree: DirectoryUnderTest(mnt), reference: reference).run(
                operations: operations, random: &random
            ) { number, random in
                guard number % 100 == 99 else { return }
                try await reelfs.check("cache", Bool.random(using: &random) ? "clear" : "verify")
                try await reelfs.check("refresh", mnt)
            }
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        }
    }
}
