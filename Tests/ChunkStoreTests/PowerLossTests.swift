import Bytes
import ChunkStore
import Diagnostics
import Glibc
import OffPool
import TestSupport
import Testing

/// A power cut keeps any subset of what was written since the last sync: here since an older copy of the directory, which says more,
/// as nothing of it need have been synced at all. Sectors of 512 bytes, lengths and names of files are lost one by one.
@Suite(.offPool) struct PowerLossTests {
    let scratch = Scratch()
    let size: UInt64 = 2 * 1_048_576 + 4321

    private func use(_ directory: String, _ random: inout Seeded, rounds: Int) throws {
        let store = try ChunkStore(directory: directory, limits: CacheLimits(maximumBytes: 5 << 20, minimumFreeBytes: 0), log: .silent)
        for _ in 0..<rounds {
            let file = random.next() % 4
            let object = try open(store, "\(file)", size: size)
            let start = random.next() % 30
            fill(object, file, start..<min(start + random.next() % 9, Block.count(fileSize: size)))
            if random.next() % 6 == 0 { object.retire() }
            if random.next() % 6 == 0 { store.drop(key: "\(random.next() % 4)") }
            if random.next() % 3 == 0 { store.flush() }
            object.close()
        }
        store.close()
    }

    /// The file as the disk may have it: each sector old or new, its length old or new; `nil`: not there.
    private func torn(_ old: [UInt8]?, _ new: [UInt8]?, _ random: inout Seeded) -> [UInt8]? {
        guard let old, let new else { return random.next() % 2 == 0 ? old : new }
        if old == new { return new }
        let share = random.next() % 5
        var result = random.next() % 4 == 0 ? Array(new.prefix(old.count)) : new
        for start in stride(from: 0, to: result.count, by: 512) where random.next() % 4 < share {
            for index in start..<min(start + 512, result.count) { result[index] = index < old.count ? old[index] : 0 }
        }
        return result
    }

    @Test(
        "whatever subset of the sectors, lengths and files written since then is lost, no byte is wrong and the store goes on",
        arguments: 0..<(TestTools.isLongRun ? 200 : 8) as Range<UInt64>)
    func subsets(seed: UInt64) throws {
        var random = Seeded(seed &* 7919 &+ 1)
        let before = scratch.path + "/before", after = scratch.path + "/after"
        try use(before, &random, rounds: 12)
        Scratch.copy(before, to: after)
        try use(after, &random, rounds: 12)
        var missing = 0
        for round in 0..<4 {
            let lost = scratch.path + "/lost\(round)"
            Scratch.copy(after, to: lost)
            for name in Set(Scratch.files(before) + Scratch.files(after)).sorted() where name != "lock" && name != "format" {
                let bytes = torn(Scratch.contents(before + "/" + name), Scratch.contents(after + "/" + name), &random)
                guard let bytes else {
                    unlink(lost + "/" + name)
                    continue
                }
                // A directory that is not there loses its files.
                _ = try? FileTree.write(bytes, to: lost + "/" + name)
            }
            let store = try ChunkStore(directory: lost, limits: roomy, log: .silent)
            for file in 0..<4 as Range<UInt64> {
                let object = try open(store, "\(file)", size: size)
                for block in 0..<Block.count(fileSize: size) {
                    let range = Block.range(block, fileSize: size)
                    let bytes = read(object, range)
                    if bytes.isEmpty { missing += 1 }
                    if !bytes.isEmpty { #expect(Octets(bytes) == Octets(Pattern.bytes(file, range)), "file \(file), block \(block), seed \(seed)") }
                }
                object.close()
            }
            _ = store.verify { _ in true }
            #expect(store.verify { _ in true }.badBlocks == 0)
            // What was lost is fetched, and kept again.
            let object = try open(store, "0", size: size)
            fill(object, 0, 0..<Block.count(fileSize: size))
            #expect(Octets(read(object, FileRange(offset: 0, end: size))) == Octets(Pattern.bytes(0, FileRange(offset: 0, end: size))))
            object.close()
            store.close()
        }
        #expect(missing > 0)
    }

    @Test("an older index that is put back beside newer objects, or a newer one beside older, loses and hides nothing", arguments: [true, false])
    func mixedIndexes(isOlder: Bool) throws {
        var random = Seeded(77)
        let before = scratch.path + "/before", after = scratch.path + "/after", mixed = scratch.path + "/mixed"
        try use(before, &random, rounds: 6)
        Scratch.copy(before, to: after)
        let store = try ChunkStore(directory: after, limits: roomy, log: .silent)
        for file in 10..<14 as Range<UInt64> {
            let object = try open(store, "\(file)", size: size)
            fill(object, file, 0..<Block.count(fileSize: size))
            object.close()
        }
        store.close()
        Scratch.copy(isOlder ? after : before, to: mixed)
        let indexes = Scratch.files(before).filter { !$0.contains("/") && $0.contains("sqlite") }
        #expect(!indexes.isEmpty)
        for name in Scratch.files(mixed) where !name.contains("/") && name.contains("sqlite") { unlink(mixed + "/" + name) }
        for name in indexes {
            if let bytes = Scratch.contents((isOlder ? before : after) + "/" + name) { try FileTree.write(bytes, to: mixed + "/" + name) }
        }
        let opened = try ChunkStore(directory: mixed, limits: roomy, log: .silent)
        defer { opened.close() }
        for file in 10..<14 as Range<UInt64> {
            let object = try open(opened, "\(file)", size: size)
            let bytes = read(object, FileRange(offset: 0, end: size))
            #expect(isOlder ? Octets(bytes) == Octets(Pattern.bytes(file, FileRange(offset: 0, end: size))) : bytes.isEmpty, "file \(file)")
            object.close()
        }
        // All that is on disk is counted, or the limit would not hold.
        let used = Scratch.usage(mixed + "/objects")
        #expect(opened.statistics.usedBytes + 1 << 20 >= used, "\(opened.statistics.usedBytes) of \(used)")
    }
}
