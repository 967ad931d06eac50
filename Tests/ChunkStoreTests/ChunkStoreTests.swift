import Bytes
import ChunkStore
import Diagnostics
import OffPool
import TestSupport
import Testing

@Suite(.offPool) struct ChunkStoreTests {
    let scratch = Scratch()
    var directory: String { scratch.path + "/cache" }
    let megabyte: UInt64 = 1 << 20

    @Test("what was written is read, from memory and from disk, at every alignment")
    func readsWhatWasWritten() throws {
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        let size = 5 * megabyte + 12345
        let object = try open(store, "a", size: size)
        fill(object, 1, 0..<Block.count(fileSize: size))
        for isStored in [false, true] {
            if isStored { store.flush() }
            for (offset, count) in [(0, 4096), (1, 1), (65535, 2), (65536, 65536), (100, 1_048_576), (0, size), (size - 1, 1), (size - 100, 500)]
                as [(UInt64, UInt64)]
            {
                let range = FileRange(offset: offset, count: count, fileSize: size)
                #expect(read(object, FileRange(offset: offset, end: offset + count)).count == Int(range.count))
                #expect(Octets(read(object, range)) == Octets(Pattern.bytes(1, range)), "\(range), stored: \(isStored)")
            }
        }
        #expect(read(object, FileRange(offset: size, end: size + 10)).isEmpty)
        store.close()
    }

    @Test("a read ends before the first missing block, and missing tells it")
    func stopsAtGaps() throws {
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        let size = 200 * megabyte
        let object = try open(store, "a", size: size)
        fill(object, 1, 0..<3)
        fill(object, 1, 5..<6)
        fill(object, 1, 2000..<2002)
        for isStored in [false, true] {
            if isStored { store.flush() }
            #expect(read(object, FileRange(offset: 10, end: megabyte)).count == 3 * 65536 - 10)
            #expect(object.missing(in: 0..<7) == [3..<5, 6..<7])
            #expect(object.missing(in: 0..<3200) == [3..<5, 6..<2000, 2002..<3200])
            #expect(object.missing(in: 3199..<99999) == [3199..<3200])
            #expect(object.has(5) && !object.has(4) && !object.has(.max))
        }
        store.close()
    }

    @Test("blocks survive a restart, with what was pinned")
    func survivesRestart() throws {
        let size = 3 * megabyte + 5
        do {
            let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
            let object = try open(store, "a", size: size, pin: "\"etag\"")
            fill(object, 1, 0..<Block.count(fileSize: size))
            object.close()
            store.close()
        }
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        let object = try open(store, "a", size: size, pin: nil)
        #expect(object.pinned == "\"etag\"")
        #expect(object.missing(in: 0..<Block.count(fileSize: size)).isEmpty)
        let range = FileRange(offset: 0, end: size)
        #expect(Octets(read(object, range)) == Octets(Pattern.bytes(1, range)))
        #expect(store.statistics.objects == 1)
        store.close()
    }

    @Test("two openings of a version share blocks; another version starts empty, and the old one goes")
    func versions() throws {
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        let first = try open(store, "a", size: megabyte)
        let again = try open(store, "a", size: megabyte)
        fill(first, 1, 0..<4)
        #expect(Octets(read(again, FileRange(offset: 0, end: 100))) == Octets(Pattern.bytes(1, FileRange(offset: 0, end: 100))))
        store.flush()
        let newer = try open(store, "a", size: megabyte, tag: "2")
        #expect(!newer.has(0))
        fill(newer, 2, 0..<4)
        fill(first, 1, 4..<6)
        store.flush()
        #expect(Octets(read(first, FileRange(offset: 0, end: 6 * 65536))) == Octets(Pattern.bytes(1, FileRange(offset: 0, end: 6 * 65536))))
        #expect(Octets(read(newer, FileRange(offset: 0, end: 100))) == Octets(Pattern.bytes(2, FileRange(offset: 0, end: 100))))
        #expect(store.list().filter { $0.state == .passing }.count == 1)
        first.close()
        again.close()
        store.flush()
        #expect(store.list().map(\.version.tag) == ["2"])
        #expect(Scratch.files(directory).filter { $0.hasSuffix(".data") }.count == 1)
        store.close()
    }

    @Test("a retired object is not found again, and its bytes go at the last close")
    func retire() throws {
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        let object = try open(store, "a", size: megabyte)
        fill(object, 1, 0..<16)
        store.flush()
        object.retire()
        let fresh = try open(store, "a", size: megabyte)
        #expect(!fresh.has(0))
        #expect(Octets(read(object, FileRange(offset: 0, end: megabyte))) == Octets(Pattern.bytes(1, FileRange(offset: 0, end: megabyte))))
        let used = store.statistics.usedBytes
        object.close()
        store.flush()
        #expect(store.statistics.usedBytes < used - megabyte / 2)
        store.close()
    }

    @Test("another pinned text is refused once blocks may be stored")
    func pinned() throws {
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        let object = try open(store, "a", size: megabyte, pin: "one")
        #expect(object.pinned == "one")
        try object.pin("one", keep: true)
        object.write(0, Pattern.block(1, 0, size: megabyte))
        #expect(throws: CacheError.self) { try object.pin("two", keep: true) }
        store.flush()
        do {
            try object.pin("two", keep: true)
            Issue.record("the second text was taken")
        } catch {
            #expect(error.code == .pinnedDiffers)
        }
        #expect(object.pinned == "one" && object.has(0))
        store.close()
    }

    @Test("an object that is not kept is gone at its last close, and after a crash", arguments: [true, false])
    func notKept(closes: Bool) throws {
        let copy = scratch.path + "/copy"
        do {
            let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
            let object = try open(store, "a", size: megabyte, keep: false)
            fill(object, 1, 0..<8)
            store.flush()
            #expect(Octets(read(object, FileRange(offset: 0, end: 1000))) == Octets(Pattern.bytes(1, FileRange(offset: 0, end: 1000))))
            let shared = try open(store, "a", size: megabyte, keep: false)
            #expect(shared.has(0))
            shared.close()
            if closes {
                object.close()
                store.flush()
                #expect(try !open(store, "a", size: megabyte).has(0))
                store.close()
            }
            Scratch.copy(directory, to: copy)
            withExtendedLifetime(object) {}
        }
        let store = try ChunkStore(directory: copy, limits: roomy, log: .silent)
        #expect(try !open(store, "a", size: megabyte).has(0))
        #expect(store.list().isEmpty)
        store.close()
    }

    @Test("blocks of a wrong length or past the end are not taken")
    func wrongBlocks() throws {
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        let object = try open(store, "a", size: 100_000)
        object.write(0, [1, 2, 3])
        object.write(1, [UInt8](repeating: 0, count: 65536))
        object.write(2, [])
        object.write(.max, [UInt8](repeating: 0, count: 65536))
        let empty = try open(store, "empty", size: 0)
        let vast = try open(store, "vast", size: .max)
        empty.write(0, [])
        vast.write(.max / 65536, [UInt8](repeating: 0, count: 65535))
        vast.write(1 << 40, [UInt8](repeating: 0, count: 65536))
        vast.write(3, [UInt8](repeating: 7, count: 65536))
        store.flush()
        #expect(object.missing(in: 0..<5) == [0..<2])
        #expect(vast.has(3) && !vast.has(.max / 65536))
        #expect(read(vast, FileRange(offset: 3 * 65536, end: 3 * 65536 + 4)) == [7, 7, 7, 7])
        #expect(read(vast, FileRange(offset: .max - 10, end: .max)).isEmpty)
        store.close()
    }

    @Test("objects and cached ranges are listed, and dropped by key, by source and all")
    func commands() throws {
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        for (index, key) in ["a", "b", "c", "d"].enumerated() {
            let source = index < 2 ? "one" : "two"
            let object = try store.open(
                key: key, version: ObjectVersion(size: 3 * megabyte, tag: "t"), label: ObjectLabel(source: source, path: "/" + key))
            try object.pin("p", keep: true)
            fill(object, UInt64(index), 1..<3)
            fill(object, UInt64(index), 40..<48)
            object.close()
        }
        #expect(store.list().map(\.key) == ["a", "b", "c", "d"])
        let shown = try #require(store.show(key: "b"))
        #expect(shown.cachedBytes == 10 * 65536 && shown.pinned == "p" && shown.label.source == "one" && shown.state == .kept)
        #expect(shown.allocatedBytes >= shown.cachedBytes)
        let kept = try #require(try store.openKept(key: "b"))
        #expect(kept.cachedRanges() == [FileRange(offset: 65536, end: 3 * 65536), FileRange(offset: 40 * 65536, end: 3 * megabyte)])
        #expect(store.show(key: "b")?.state == .open)
        kept.close()
        #expect(store.drop(key: "a") > 10 * 65536)
        #expect(store.list().map(\.key) == ["b", "c", "d"])
        store.drop(source: "two")
        #expect(store.list().map(\.key) == ["b"])
        let open = try #require(try store.openKept(key: "b"))
        store.clear()
        #expect(!open.has(1) && read(open, FileRange(offset: 65536, end: 65537)).isEmpty)
        open.close()
        #expect(store.list().isEmpty)
        #expect(Scratch.files(directory).filter { $0.hasPrefix("objects") }.isEmpty)
        #expect(throws: Never.self) { try #require(try store.openKept(key: "zz") == nil) }
        store.close()
        #expect(throws: CacheError.self) {
            try store.open(key: "a", version: ObjectVersion(size: 1, tag: ""), label: ObjectLabel(source: "", path: ""))
        }
    }
}
