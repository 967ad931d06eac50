import Bytes
import ChunkStore
import Diagnostics
import Glibc
import OffPool
import Synchronization
import TestSupport
import Testing

/// What is on disk is damaged in every way we could think of: never a wrong byte, and no more lost than was damaged.
@Suite(.offPool) struct CrashTests {
    let scratch = Scratch()
    var directory: String { scratch.path + "/cache" }
    let megabyte: UInt64 = 1 << 20
    let size: UInt64 = 3 * 1_048_576 + 777

    /// A closed cache of four objects, 0 to 3.
    private func prepare() throws {
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        for file in 0..<4 as Range<UInt64> {
            let object = try open(store, "\(file)", size: size)
            fill(object, file, 0..<Block.count(fileSize: size))
            object.close()
        }
        store.close()
    }

    private func path(_ file: UInt64, _ suffix: String) throws -> String {
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        store.close()
        for name in Scratch.files(directory) where name.hasSuffix(".map") {
            let bytes = try #require(Scratch.contents(directory + "/" + name))
            let key = Array("\u{1}\u{0}\u{0}\u{0}\(file)".utf8)
            if Array(bytes[32..<(32 + key.count)]) == key { return directory + "/" + name.dropLast(4) + suffix }
        }
        throw CacheError(.inaccessible, "no file of \(file)")
    }

    /// Reads everything; whatever is there must be right. Returns the count of missing blocks per object.
    private func check(_ directory: String, _ lines: Lines = Lines()) throws -> [Int] {
        let store = try ChunkStore(directory: directory, limits: roomy, log: lines.log)
        defer { store.close() }
        return try (0..<4 as Range<UInt64>).map { file in
            let object = try open(store, "\(file)", size: size)
            defer { object.close() }
            var missing = 0
            for block in 0..<Block.count(fileSize: size) {
                let range = Block.range(block, fileSize: size)
                // A part is checked as a whole block is.
                if block % 2 == 1 {
                    let part = FileRange(offset: range.offset + 5, end: range.end - 3)
                    let bytes = read(object, part)
                    #expect(bytes.isEmpty || bytes == Pattern.bytes(file, part), "part of file \(file), block \(block)")
                }
                let bytes = read(object, range)
                if bytes.isEmpty { missing += 1 } else { #expect(bytes == Pattern.bytes(file, range), "file \(file), block \(block)") }
                #expect(object.has(block) == !bytes.isEmpty)
            }
            return missing
        }
    }

    @Test("a flipped byte of data, of the map or of the header costs its block or its object")
    func flipped() throws {
        try prepare()
        Scratch.flip(try path(0, ".data"), at: 70000)
        Scratch.flip(try path(3, ".data"), at: 2 * 65536 + 5)
        Scratch.flip(try path(1, ".map"), at: 65536 + 4 * 5 + 2)
        Scratch.flip(try path(2, ".map"), at: 40)
        #expect(try check(directory) == [1, 1, 49, 1])
    }

    @Test("every byte of a header counts")
    func everyHeaderByte() throws {
        try prepare()
        let path = try path(2, ".map")
        let header = Array(try #require(Scratch.contents(path)).prefix(4096))
        let end = try #require(header.lastIndex { $0 != 0 })
        for offset in 0...end {
            Scratch.flip(path, at: offset)
            let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
            #expect(try store.openKept(key: "2") == nil, "byte \(offset)")
            Scratch.flip(path, at: offset)
            store.close()
        }
    }

    @Test("torn, swapped and foreign files cost only their objects")
    func tornAndSwapped() throws {
        try prepare()
        truncate(try path(0, ".data"), off_t(20 * 65536 + 100))
        let one = try path(1, ".data")
        let two = try path(2, ".data")
        rename(one, one + ".x")
        rename(two, one)
        rename(one + ".x", two)
        truncate(try path(3, ".map"), 65536 + 10)
        #expect(try check(directory) == [29, 49, 49, 47])
    }

    @Test("swapped maps, missing files and an object under another's name are not taken for it")
    func swappedMaps() throws {
        try prepare()
        let zero = try path(0, ".map")
        let one = try path(1, ".map")
        let two = try path(2, ".data")
        let three = try path(3, ".map")
        rename(zero, zero + ".x")
        rename(one, zero)
        rename(zero + ".x", one)
        unlink(two)
        Scratch.write(try #require(Scratch.contents(three)), to: three)
        #expect(try check(directory) == [49, 49, 49, 0])
    }

    @Test("a damaged, foreign, cut or missing index is set aside and built anew", arguments: 0..<5)
    func damagedIndex(kind: Int) throws {
        try prepare()
        let index = directory + "/index.sqlite"
        let lines = Lines()
        switch kind {
        case 0: Scratch.write(Array("no database at all, but long enough to be looked at".utf8) + [UInt8](repeating: 9, count: 9000), to: index)
        case 1: truncate(index, 8192)
        case 2: for offset in stride(from: 4096, to: Scratch.contents(index)?.count ?? 0, by: 512) { Scratch.flip(index, at: offset) }
        case 3: truncate(index, 0)
        default: unlink(index)
        }
        #expect(try check(directory, lines) == [0, 0, 0, 0])
        if kind == 0 { #expect(lines.count("damaged") > 0 && Scratch.contents(index + ".damaged") != nil) }
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        #expect(store.list().map(\.key) == ["0", "1", "2", "3"])
        store.close()
    }

    @Test("an index that is damaged while the store runs is built anew, and still limits the cache")
    func damagedWhileRunning() throws {
        try prepare()
        let lines = Lines()
        let store = try ChunkStore(directory: directory, limits: roomy, log: lines.log)
        let object = try open(store, "0", size: size)
        for suffix in ["", "-wal"] {
            let path = directory + "/index.sqlite" + suffix
            for offset in 0..<(Scratch.contents(path)?.count ?? 0) / 16 { Scratch.flip(path, at: offset * 16) }
        }
        // Statements that need pages which are not in SQLite's memory fail now; what they ask is answered after all.
        for _ in 0..<3 where store.list().count < 4 { continue }
        #expect(store.list().map(\.key) == ["0", "1", "2", "3"])
        #expect(Octets(read(object, FileRange(offset: 0, end: size))) == Octets(Pattern.bytes(0, FileRange(offset: 0, end: size))))
        store.setLimits(CacheLimits(maximumBytes: 4 * megabyte, minimumFreeBytes: 0))
        #expect(Scratch.usage(directory + "/objects") < 4 * megabyte)
        object.close()
        store.close()
        _ = try check(directory)
    }

    @Test("verify finds what is bad, drops it, and can be stopped")
    func verify() throws {
        try prepare()
        for block in [3, 17, 40] { Scratch.flip(try path(1, ".data"), at: block * 65536 + 9) }
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        let partial = store.verify { _ in false }
        #expect(partial.isPartial && partial.checkedBlocks == 16)
        let report = store.verify { _ in true }
        #expect(report.objects == 4 && !report.isPartial && report.badBlocks + partial.badBlocks == 3)
        #expect(store.verify { _ in true }.badBlocks == 0)
        #expect(store.verify { _ in true }.checkedBlocks == 4 * 49 - 3)
        #expect(store.statistics.badBlocks == 3)
        store.close()
        #expect(try check(directory) == [0, 3, 0, 0])
    }

    @Test("copies of the directory taken while it is written and evicted never give a wrong byte", arguments: [11, 12, 13] as [UInt64])
    func killedAnywhere(seed: UInt64) throws {
        let ended = Atomic(false)
        let directory = directory
        let size = size
        let writer = Thread {
            var random = Seeded(seed)
            while !ended.load(ordering: .relaxed) {
                guard let store = try? ChunkStore(directory: directory, limits: CacheLimits(maximumBytes: 9 << 20, minimumFreeBytes: 0), log: .silent)
                else { return }
                for _ in 0..<20 where !ended.load(ordering: .relaxed) {
                    let file = random.next() % 4
                    guard let object = try? open(store, "\(file)", size: size) else { continue }
                    let start = random.next() % 40
                    fill(object, file, start..<start + random.next() % 9)
                    if random.next() % 8 == 0 { object.retire() }
                    if random.next() % 8 == 0 { store.drop(key: "\(random.next() % 4)") }
                    if random.next() % 3 == 0 { store.flush() }
                    object.close()
                }
                if random.next() % 2 == 0 { store.close() }
            }
        }
        for round in 0..<8 {
            usleep(30000)
            let copy = scratch.path + "/copy\(round)"
            Scratch.copy(directory, to: copy)
            guard Scratch.contents(copy + "/format") != nil else { continue }
            _ = try check(copy)
            let store = try ChunkStore(directory: copy, limits: roomy, log: .silent)
            // What fails is what was written between the copying of a data file and of its map; a second look finds all right.
            _ = store.verify { _ in true }
            #expect(store.verify { _ in true }.badBlocks == 0)
            // Nothing is on disk that no map names, but for the tables of the file system.
            let cached = store.list().reduce(0) { $0 + $1.cachedBytes }
            #expect(store.statistics.usedBytes < cached + cached / 4 + 4 << 20)
            store.close()
        }
        ended.store(true, ordering: .relaxed)
        writer.join()
    }
}
