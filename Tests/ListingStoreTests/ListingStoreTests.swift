import Bytes
import Database
import Diagnostics
import Glibc
import OffPool
import SourceAPI
import Synchronization
import TestSupport
import Testing

@testable import ListingStore

@Suite(.offPool) struct ListingStoreTests {
    let directory: TemporaryDirectory
    var path: String { directory.path + "/listings.sqlite" }
    let root = EntryLocator("/dav/films/")

    init() throws { directory = try TemporaryDirectory("listing") }

    static func listing(_ count: Int, seed: UInt64 = 1) -> DirectoryListing {
        var state = seed
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let entries = (0..<count).map { index in
            let name = next() % 7 == 0 ? [0xFF, 0xFE, UInt8(index & 255)] : Array("电影 \(index) 🎬.mkv".utf8)
            return RemoteEntry(
                name: name, kind: next() % 9 == 0 ? .directory : .file, locator: EntryLocator("/dav/films/%E7%94%B5 \(index).mkv"),
                size: next() % 3 == 0 ? nil : next() << 31 | next(),
                modified: next() % 4 == 0 ? nil : UnixTime(seconds: Int64(next()) - 1_000_000_000),
                entityTag: next() % 2 == 0 ? "\"\(next())\"" : nil, mediaType: next() % 5 == 0 ? "video/x-matroska" : nil,
                cacheKey: "anna@https://drive.example/dav/films/\(index)")
        }
        return DirectoryListing(entries: entries, quota: DirectoryListing.Quota(used: 5, available: nil))
    }

    @Test("a listing comes back as it was, at once and after a restart", arguments: [0, 1, 3, 10000, 100_000])
    func roundTrip(count: Int) throws {
        let listing = Self.listing(count)
        do {
            let store = try ListingStore(path: path, log: .silent)
            store.save(source: "drive", directory: root, listing: listing, listedAt: UnixTime(seconds: 77))
            #expect(store.load(source: "drive", directory: root)?.listing.entries == listing.entries)
            store.flush()
            #expect(store.load(source: "drive", directory: root)?.listing.entries == listing.entries)
            #expect(store.load(source: "other", directory: root) == nil)
            store.close()
        }
        let store = try ListingStore(path: path, log: .silent)
        let found = try #require(store.load(source: "drive", directory: root))
        #expect(
            found.listing.entries == listing.entries && found.listing.quota == listing.quota && found.listedAt.seconds == 77
                && found.revisions.isEmpty)
        store.close()
    }

    @Test("cut short or with any one byte changed, an encoded listing is refused, and nothing traps")
    func damagedBytes() {
        let bytes = ListingCoding.encode(Self.listing(20))
        #expect(bytes.withUnsafeBytes { ListingCoding.decode($0) } != nil)
        for count in 0..<bytes.count { #expect(Array(bytes.prefix(count)).withUnsafeBytes { ListingCoding.decode($0) } == nil) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x81
            #expect(changed.withUnsafeBytes { ListingCoding.decode($0) } == nil, "byte \(index)")
        }
    }

    @Test("hostile bytes under a right checksum are refused or read, and never trap")
    func hostileBytes() {
        var state: UInt64 = 4
        let good = ListingCoding.encode(Self.listing(5))
        for _ in 0..<20000 {
            var body = Array(good[5...])
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                body[Int(state >> 33) % body.count] = UInt8(truncatingIfNeeded: state >> 24)
            }
            var crc = CRC32C()
            body.withUnsafeBytes { crc.update($0) }
            let bytes = [1] + withUnsafeBytes(of: crc.value.littleEndian) { Array($0) } + body
            _ = bytes.withUnsafeBytes { ListingCoding.decode($0) }
        }
    }

    @Test("a damaged row costs only itself")
    func damagedRow() throws {
        let other = EntryLocator("/dav/other/")
        do {
            let store = try ListingStore(path: path, log: .silent)
            store.save(source: "drive", directory: root, listing: Self.listing(10), listedAt: UnixTime(seconds: 1))
            store.save(source: "drive", directory: other, listing: Self.listing(11), listedAt: UnixTime(seconds: 1))
            store.close()
        }
        do {
            let connection = try SQLConnection(path: path)
            try connection.run("UPDATE listings SET entries = substr(entries, 1, 40) WHERE directory = ?", .text(root.text))
        }
        let store = try ListingStore(path: path, log: .silent)
        #expect(store.load(source: "drive", directory: root) == nil)
        #expect(store.load(source: "drive", directory: other)?.listing.entries.count == 11)
        store.flush()
        store.save(source: "drive", directory: root, listing: Self.listing(12), listedAt: UnixTime(seconds: 1))
        store.flush()
        #expect(store.load(source: "drive", directory: root)?.listing.entries.count == 12)
        store.close()
    }

    @Test("a damaged file is set aside, and a new one works", arguments: [0, 1])
    func damagedFile(kind: Int) throws {
        do {
            let store = try ListingStore(path: path, log: .silent)
            store.save(source: "drive", directory: root, listing: Self.listing(3000), listedAt: UnixTime(seconds: 1))
            store.close()
        }
        let descriptor = open(path, O_WRONLY)
        if kind == 0 {
            let noise = [UInt8](repeating: 0x33, count: 100)
            _ = noise.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        } else {
            ftruncate(descriptor, 8192)
        }
        close(descriptor)
        let lines = Mutex(0)
        let store = try ListingStore(path: path, log: Log { event in if event.level == .warning { lines.withLock { $0 += 1 } } })
        #expect(store.load(source: "drive", directory: root) == nil)
        store.flush()
        store.save(source: "drive", directory: root, listing: Self.listing(4), listedAt: UnixTime(seconds: 1))
        store.flush()
        store.flush()
        #expect(store.load(source: "drive", directory: root)?.listing.entries.count == 4)
        #expect(access(path + ".damaged", F_OK) == 0 && lines.withLock { $0 } > 0)
        store.close()
    }

    @Test("a learned size counts for its version only")
    func probes() throws {
        func entry(_ key: String, modified: Int64?, tag: String?) -> RemoteEntry {
            RemoteEntry(
                name: Array(key.utf8), kind: .file, locator: EntryLocator("/" + key), modified: modified.map { UnixTime(seconds: $0) },
                entityTag: tag,
                cacheKey: key)
        }
        let old = DirectoryListing(entries: [
            entry("a", modified: 5, tag: nil), entry("b", modified: nil, tag: "x"), entry("c", modified: nil, tag: nil),
        ])
        let store = try ListingStore(path: path, log: .silent)
        store.save(source: "s", directory: root, listing: old, listedAt: UnixTime(seconds: 1))
        for var probed in old.entries {
            probed.size = 1000
            if probed.modified == nil { probed.modified = UnixTime(seconds: 9) }
            store.record(source: "s", directory: root, probed: probed)
        }
        for _ in 0..<2 {
            #expect(store.load(source: "s", directory: root)?.listing.entries.map(\.size) == [1000, 1000, nil])
            store.flush()
        }
        store.save(
            source: "s", directory: root,
            listing: DirectoryListing(entries: [entry("a", modified: 6, tag: nil), entry("b", modified: nil, tag: "y")]),
            listedAt: UnixTime(seconds: 2))
        #expect(store.load(source: "s", directory: root)?.listing.entries.map(\.size) == [nil, nil])
        store.flush()
        #expect(store.load(source: "s", directory: root)?.listing.entries.map(\.size) == [nil, nil])
        store.close()
    }

    @Test("a size that was learned is in every listing from then on, whether it is written yet or not")
    func learnedAtOnce() throws {
        let store = try ListingStore(path: path, log: .silent)
        let entries = (0..<300).map {
            RemoteEntry(
                name: Array("\($0)".utf8), kind: .file, locator: EntryLocator("/\($0)"), modified: UnixTime(seconds: 5), cacheKey: "\($0)")
        }
        store.save(source: "s", directory: root, listing: DirectoryListing(entries: entries), listedAt: UnixTime(seconds: 1))
        var lost = 0
        for (index, var probed) in entries.enumerated() {
            probed.size = 1000
            store.record(source: "s", directory: root, probed: probed)
            let sizes = store.load(source: "s", directory: root)?.listing.entries.prefix(index + 1).map(\.size) ?? []
            if sizes.contains(nil) || sizes.count != index + 1 { lost += 1 }
        }
        #expect(lost == 0)
        store.close()
    }

    @Test("a name with a slash forgets every source that begins with it, and no other")
    func forgetsByBeginning() throws {
        let store = try ListingStore(path: path, log: .silent)
        let names = ["a_b/1", "a_b/2", "a_b", "axb/1", "a_bc/1"]
        for name in names { store.save(source: name, directory: root, listing: Self.listing(4), listedAt: UnixTime(seconds: 1)) }
        store.flush()
        store.save(source: "a_b/3", directory: root, listing: Self.listing(4), listedAt: UnixTime(seconds: 1))
        store.forget(source: "a_b/")
        for _ in 0..<2 {
            #expect(["a_b/1", "a_b/2", "a_b/3"].allSatisfy { store.load(source: $0, directory: root) == nil })
            #expect(["a_b", "axb/1", "a_bc/1"].allSatisfy { store.load(source: $0, directory: root) != nil })
            store.flush()
        }
        store.close()
    }

    @Test("revisions grow, survive a restart and a forgotten source, and show in listings")
    func revisions() throws {
        let listing = Self.listing(4)
        let key = listing.entries[2].cacheKey
        do {
            let store = try ListingStore(path: path, log: .silent)
            store.save(source: "s", directory: root, listing: listing, listedAt: UnixTime(seconds: 1))
            store.save(source: "t", directory: root, listing: listing, listedAt: UnixTime(seconds: 1))
            store.bumpRevision(cacheKey: key)
            store.bumpRevision(cacheKey: key)
            #expect(store.revision(cacheKey: key) == 2 && store.revision(cacheKey: "none") == 0)
            #expect(store.load(source: "s", directory: root)?.revisions == [listing.entries[2].locator: 2])
            store.forget(source: "s")
            #expect(store.load(source: "s", directory: root) == nil)
            store.flush()
            #expect(store.load(source: "s", directory: root) == nil)
            store.close()
        }
        let store = try ListingStore(path: path, log: .silent)
        #expect(store.revision(cacheKey: key) == 2)
        #expect(store.load(source: "t", directory: root)?.revisions == [listing.entries[2].locator: 2])
        store.close()
    }
}
