import Bytes
import ChunkStore
import Diagnostics
import Glibc
import OffPool
import Synchronization
import TestSupport
import Testing

@Suite(.offPool) struct LimitTests {
    let scratch = Scratch()
    var directory: String { scratch.path + "/cache" }
    let megabyte: UInt64 = 1 << 20

    @Test("what is used least lately goes first, by groups of a mebibyte, and heads and tails go last")
    func order() throws {
        let clock = HandClock()
        let limits = CacheLimits(maximumBytes: 64 * megabyte, minimumFreeBytes: 0)
        let store = try ChunkStore(directory: directory, limits: limits, log: .silent, environment: clock.environment())
        let size = 40 * megabyte
        let object = try open(store, "a", size: size)
        for group in 0..<40 as Range<UInt64> {
            fill(object, 1, group * 16..<(group + 1) * 16)
            store.flush()
            clock.advance(1000)
        }
        // Groups 5 and 6 are the oldest bodies but for a fresh read.
        _ = read(object, FileRange(offset: 5 * megabyte, end: 7 * megabyte))
        _ = store.list()
        _ = store.show(key: "a")
        _ = store.verify { _ in true }
        store.setLimits(CacheLimits(maximumBytes: 32 * megabyte, minimumFreeBytes: 0))
        let gone = (0..<40 as Range<UInt64>).filter { !object.has($0 * 16) }
        #expect(!gone.isEmpty && gone.count < 20)
        let expected = ((1..<40) as Range<UInt64>).filter { $0 != 5 && $0 != 6 }
        #expect(gone == Array(expected.prefix(gone.count)), "the oldest, and neither head nor what was read")
        for group in 0..<40 as Range<UInt64> {
            let missing = object.missing(in: group * 16..<(group + 1) * 16)
            #expect(missing.isEmpty || missing == [group * 16..<(group + 1) * 16], "a group goes as a whole")
        }
        store.close()
    }

    @Test("the order of use survives a restart")
    func orderSurvives() throws {
        let clock = HandClock()
        let limits = CacheLimits(maximumBytes: 64 * megabyte, minimumFreeBytes: 0)
        do {
            let store = try ChunkStore(directory: directory, limits: limits, log: .silent, environment: clock.environment())
            for index in 0..<4 as Range<UInt64> {
                let object = try open(store, "\(index)", size: 10 * megabyte)
                fill(object, index, 0..<160)
                store.flush()
                clock.advance(1000)
                object.close()
            }
            let first = try open(store, "0", size: 10 * megabyte)
            _ = read(first, FileRange(offset: 0, end: 10 * megabyte))
            first.close()
            store.close()
        }
        let store = try ChunkStore(directory: directory, limits: limits, log: .silent, environment: clock.environment())
        store.setLimits(CacheLimits(maximumBytes: 34 * megabyte, minimumFreeBytes: 0))
        let bodies = try (0..<4).map { index in try open(store, "\(index)", size: 10 * megabyte).missing(in: 16..<140).reduce(0) { $0 + $1.count } }
        #expect(bodies[0] == 0 && bodies[1] > 0 && bodies[3] == 0, "\(bodies)")
        store.close()
    }

    @Test("the size limit holds at every moment under concurrent writers, everything on disk counted")
    func sizeLimit() throws {
        let maximum = 24 * megabyte
        let store = try ChunkStore(directory: directory, limits: CacheLimits(maximumBytes: maximum, minimumFreeBytes: 0), log: .silent)
        let done = Atomic(0)
        let writers = 4
        let worst = Atomic<UInt64>(0)
        let threads = (0..<writers).map { number in
            Thread {
                for file in 0..<3 {
                    let id = UInt64(number * 10 + file)
                    guard let object = try? open(store, "\(id)", size: 16 * self.megabyte) else { continue }
                    for block in 0..<256 as Range<UInt64> {
                        object.write(block, Pattern.block(id, block, size: object.size))
                        if block % 16 == 15 {
                            let range = FileRange(offset: (block - 3) * 65536, end: (block + 1) * 65536)
                            let bytes = read(object, range)
                            #expect(bytes == Array(Pattern.bytes(id, range).prefix(bytes.count)))
                        }
                    }
                    object.close()
                }
                done.wrappingAdd(1, ordering: .relaxed)
            }
        }
        while done.load(ordering: .relaxed) < writers {
            worst.max(Scratch.usage(directory), ordering: .relaxed)
            usleep(2000)
        }
        for thread in threads { thread.join() }
        store.flush()
        worst.max(Scratch.usage(directory), ordering: .relaxed)
        #expect(worst.load(ordering: .relaxed) <= maximum)
        let statistics = store.statistics
        #expect(statistics.evictedBlocks > 0 && statistics.usedBytes > maximum / 3 && statistics.queuedBytes == 0)
        #expect(statistics.usedBytes >= Scratch.usage(directory) - megabyte)
        store.close()
        #expect(Scratch.usage(directory) <= maximum)
    }

    @Test("a limit smaller than what comes at once is not passed either")
    func tinyLimit() throws {
        let lines = Lines()
        let store = try ChunkStore(directory: directory, limits: CacheLimits(maximumBytes: 3 * megabyte, minimumFreeBytes: 0), log: lines.log)
        let object = try open(store, "a", size: 40 * megabyte)
        // One batch: none of its own blocks can make room for the others.
        for _ in 0..<4 {
            fill(object, 1, 0..<640)
            store.flush()
            #expect(Scratch.usage(directory) <= 3 * megabyte)
        }
        #expect(store.statistics.droppedBlocks > 0 && !object.missing(in: 0..<640).isEmpty)
        #expect(lines.count("warning: its size limit leaves no room") >= 1)
        store.close()
    }

    @Test("a minimum of free disk holds: first what is old goes, then nothing more is stored, with one warning")
    func freeDisk() throws {
        let clock = HandClock(), lines = Lines()
        let size = 40 * megabyte
        let others = Atomic<UInt64>(0)
        let directory = directory
        // A disk of 64 MiB that holds this cache and what others put there.
        let environment = clock.environment {
            let taken = Scratch.usage(directory) + others.load(ordering: .relaxed)
            return taken > 64 << 20 ? 0 : (64 << 20) - taken
        }
        let limits = CacheLimits(maximumBytes: 1 << 40, minimumFreeBytes: 16 * megabyte)
        let store = try ChunkStore(directory: directory, limits: limits, log: lines.log, environment: environment)
        let first = try open(store, "a", size: size), second = try open(store, "b", size: size)
        fill(first, 1, 0..<640)
        store.flush()
        clock.advance(1000)
        fill(second, 2, 0..<640)
        store.flush()
        #expect(Scratch.usage(directory) <= 48 * megabyte)
        #expect(!first.missing(in: 0..<640).isEmpty)
        #expect(Octets(read(second, FileRange(offset: 0, end: megabyte))) == Octets(Pattern.bytes(2, FileRange(offset: 0, end: megabyte))))
        others.store(60 << 20, ordering: .relaxed)
        clock.advance(1000)
        store.setLimits(limits)
        fill(try open(store, "c", size: size), 3, 0..<640)
        store.flush()
        #expect(Scratch.usage(directory) < 4 * megabyte)
        #expect(lines.count("warning: the minimum of free disk") == 1)
        #expect(store.statistics.droppedBlocks >= 640)
        store.close()
    }

    @Test("the files of an object go with its last block")
    func lastBlock() throws {
        let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
        for index in 0..<20 {
            let object = try open(store, "\(index)", size: 100_000)
            fill(object, UInt64(index), 0..<2)
            object.close()
        }
        store.flush()
        #expect(store.statistics.objects == 20)
        store.setLimits(CacheLimits(maximumBytes: 0, minimumFreeBytes: 0))
        #expect(store.statistics.objects == 0)
        #expect(Scratch.files(directory).filter { $0.hasPrefix("objects") }.isEmpty)
        #expect(store.list().isEmpty)
        store.close()
    }

    @Test("a full disk drops blocks with one warning, reads go on, and writing is taken up again")
    func fullDisk() throws {
        let mountPoint = scratch.path + "/small"
        mkdir(mountPoint, 0o700)
        guard mount("none", mountPoint, "tmpfs", 0, "size=6m") == 0 else { return }
        defer { umount2(mountPoint, 2) }
        let clock = HandClock(), lines = Lines()
        let store = try ChunkStore(directory: mountPoint + "/cache", limits: roomy, log: lines.log, environment: clock.environment())
        let object = try open(store, "a", size: 40 * megabyte)
        fill(object, 1, 0..<2)
        store.flush()
        // Somebody else fills the disk.
        let descriptor = open(mountPoint + "/other", O_CREAT | O_WRONLY, 0o600)
        let noise = [UInt8](repeating: 1, count: 4096)
        while noise.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) > 0 {}
        fill(object, 1, 2..<500)
        store.flush()
        let range = FileRange(offset: 0, end: 40 * megabyte)
        let kept = read(object, range)
        #expect(kept == Array(Pattern.bytes(1, range).prefix(kept.count)))
        #expect(store.statistics.droppedBlocks > 400)
        #expect(lines.count("warning: the cache cannot be written") == 1)
        ftruncate(descriptor, 0)
        close(descriptor)
        clock.advance(60000)
        fill(object, 1, 0..<16)
        store.flush()
        #expect(Octets(read(object, FileRange(offset: 0, end: megabyte))) == Octets(Pattern.bytes(1, FileRange(offset: 0, end: megabyte))))
        store.close()
    }

    @Test("a directory that became read-only gives what it has, drops the rest with one warning, and opens again")
    func readOnly() throws {
        let mountPoint = scratch.path + "/locked"
        mkdir(mountPoint, 0o700)
        guard mount("none", mountPoint, "tmpfs", 0, "size=20m") == 0 else { return }
        defer { umount2(mountPoint, 2) }
        let lines = Lines()
        let size = 4 * megabyte
        do {
            let store = try ChunkStore(directory: mountPoint + "/cache", limits: roomy, log: .silent)
            fill(try open(store, "a", size: size), 1, 0..<20)
            store.close()
        }
        #expect(mount("none", mountPoint, "tmpfs", 32 | 1, "") == 0)  // MS_REMOUNT | MS_RDONLY
        let store = try ChunkStore(directory: mountPoint + "/cache", limits: roomy, log: lines.log)
        let object = try open(store, "b", size: size)
        fill(object, 2, 0..<30)
        store.flush()
        #expect(read(object, FileRange(offset: 0, end: 100)).isEmpty)
        #expect(lines.count("warning: the cache cannot be written") == 1)
        #expect(store.statistics.droppedBlocks == 30)
        store.close()
    }
}
