import Glibc
import MemoryTree
import TestSupport
import Testing
import Threads

@testable import FuseAdapter

extension MountedSuites {
    @Suite("Reading through a mount")
    struct ReadingTests {
        private static let size: UInt64 = 24 << 20

        /// O_DIRECT, which the C library's module leaves out: around the page cache.
        #if arch(arm64)
        static let direct: CInt = 0o200000
        #else
        static let direct: CInt = 0o40000
        #endif

        /// The first offset at which what `read` gives differs from the pattern; `nil`: all of `range` is right.
        private static func firstDifference(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> UInt64? {
            for index in 0..<bytes.count where bytes[index] != MemoryTree.byte(at: offset + UInt64(index)) { return offset + UInt64(index) }
            return nil
        }

        /// Reads with `pread`; returns what is wrong.
        private static func wrong(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, size: UInt64) -> String? {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            let due = min(UInt64(buffer.count), size - min(size, offset))
            guard count == Int(due) else { return "\(count) of \(due) bytes at \(offset), errno \(count < 0 ? errno : 0)" }
            return firstDifference(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), at: offset).map {
                "wrong byte at \($0)"
            }
        }

        @Test("buffered, direct and mapped reads give the same right bytes", arguments: [0, ReadingTests.direct])
        func sequential(flags: CInt) async throws {
            let tree = MemoryTree()
            tree.add("file", .pattern(size: Self.size + 4097))
            try await withMount(tree) { mount in
                let path = "\(mount.path)/file"
                let fault = await offPool { () -> String? in
                    let descriptor = open(path, flags)
                    guard descriptor >= 0 else { return "open: \(errno)" }
                    defer { close(descriptor) }
                    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
                    defer { buffer.deallocate() }
                    for offset in stride(from: 0, through: Self.size + (1 << 20), by: 1 << 20) {
                        if let fault = Self.wrong(descriptor, buffer, at: offset, size: Self.size + 4097) { return fault }
                    }
                    return nil
                }
                #expect(fault == nil)
            }
        }

        @Test("a mapped file")
        func mapped() async throws {
            let tree = MemoryTree()
            tree.add("file", .pattern(size: 3_000_001))
            try await withMount(tree) { mount in
                let path = "\(mount.path)/file"
                let fault = await offPool { () -> String? in
                    let descriptor = open(path, O_RDONLY)
                    guard descriptor >= 0 else { return "open: \(errno)" }
                    defer { close(descriptor) }
                    guard let memory = mmap(nil, 3_000_001, PROT_READ, MAP_PRIVATE, descriptor, 0), memory != MAP_FAILED else {
                        return "mmap: \(errno)"
                    }
                    defer { munmap(memory, 3_000_001) }
                    return Self.firstDifference(UnsafeRawBufferPointer(start: memory, count: 3_000_001), at: 0).map { "wrong byte at \($0)" }
                }
                #expect(fault == nil)
                let last = try await Command(["tail", "-c", "1", path]).check()
                #expect(last.outputBytes == [MemoryTree.byte(at: 3_000_000)])
            }
        }

        @Test("32 readers at once, of files answered at once and late, get the right bytes")
        func readers() async throws {
            let tree = MemoryTree()
            tree.add("fast", .pattern(size: 1 << 22))
            tree.add("late", .late(size: 1 << 19, after: .milliseconds(3)))
            try await withMount(tree) { mount in
                let path = mount.path
                let faults = await withTaskGroup(of: String?.self) { group in
                    for reader in 0..<32 {
                        group.addTask { await offPool { Self.randomReads(path, reader) } }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(faults.compactMap { $0 } == [])
                #expect(faults.count == 32)
            }
            #expect(tree.openFiles == 0)
        }

        private static func randomReads(_ path: String, _ reader: Int) -> String? {
            let isLate = reader % 4 == 0
            let size: UInt64 = isLate ? 1 << 19 : 1 << 22
            let descriptor = open("\(path)/\(isLate ? "late" : "fast")", O_RDONLY | (reader % 3 == 0 ? ReadingTests.direct : 0))
            guard descriptor >= 0 else { return "open: \(errno)" }
            defer { close(descriptor) }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 4096)
            defer { buffer.deallocate() }
            var random = UInt64(reader) &+ 1
            for _ in 0..<40 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let offset = (random >> 20) % (size + 65_536) / 4096 * 4096
                if let fault = wrong(descriptor, buffer, at: offset, size: size) { return "reader \(reader): \(fault)" }
            }
            return nil
        }

        @Test("a reader that waits for an origin ends with its signal", arguments: ["INT", "TERM", "KILL"], [true, false])
        func interrupts(signal: String, answersCancel: Bool) async throws {
            let tree = MemoryTree()
            tree.add("stuck", answersCancel ? .stuck(size: 1 << 20) : .dead(size: 1 << 20))
            try await withMount(tree) { mount in
                // dd catches SIGINT and goes on: its request ends with EINTR. cat is ended by each of the signals. (A
                // program that catches a signal while it waits for the page cache is not woken, on any file system.)
                let direct = ["dd", "if=\(mount.path)/stuck", "of=/dev/null", "bs=4k", "count=1", "iflag=direct"]
                for command in [direct, ["cat", "\(mount.path)/stuck"]] {
                    let result = try await Command(["timeout", "-s", signal, "0.3"] + command, deadline: 20).run()
                    #expect(result.status != nil && result.seconds < 0.3 + 5, "\(result)")
                }
                // A direct read is a request of the reader itself, and goes with it. (Read-ahead belongs to nobody.)
                #expect(await eventually { mount.mount.statistics.waitingRequests <= 1 })
            }
        }

        @Test("many readers that wait for an origin do not hold up one whose bytes are here")
        func others() async throws {
            let tree = MemoryTree()
            tree.add("fast", .pattern(size: 1 << 20))
            for number in 0..<120 { tree.add("stuck\(number)", .stuck(size: 4 << 20)) }
            try await withMount(tree) { mount in
                let script = """
                    for i in $(seq 0 119); do timeout 20 cat '\(mount.path)'/stuck$i >/dev/null 2>&1 & done
                    sleep 1; timeout 15 cat '\(mount.path)/fast' | wc -c; kill $(jobs -p); wait
                    """
                let result = try await Command(["bash", "-c", script], deadline: 60).run()
                #expect(result.output.split(separator: "\n").first == "1048576", "\(result)")
            }
        }

        @Test("a signal that does not end the reader gives EINTR")
        func interrupted() async throws {
            let tree = MemoryTree()
            tree.add("stuck", .stuck(size: 1 << 20))
            try await withMount(tree) { mount in
                let path = "\(mount.path)/stuck"
                let result = await offPool { () -> CInt? in
                    let result = MonitoredValue<CInt?>(nil)
                    let reader = OwnThread.start("reader") {
                        let descriptor = open(path, O_RDONLY | ReadingTests.direct)
                        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 4096)
                        let error = failure { read(descriptor, buffer.baseAddress, 4096) }
                        buffer.deallocate()
                        close(descriptor)
                        result.change { $0 = error }
                    }
                    for _ in 0..<50 {
                        if let error = result.wait(within: .milliseconds(100), until: { $0 }) { return error }
                        reader?.wake()
                    }
                    return nil
                }
                #expect(result == EINTR)
                #expect(mount.log.filter { $0.contains("failed") } == [])
            }
        }
    }
}
