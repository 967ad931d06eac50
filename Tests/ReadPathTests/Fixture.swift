import Bytes
import ChunkStore
import Diagnostics
import Glibc
import SourceAPI
import Synchronization
import Testing

@testable import ReadPath

/// A read path on a fake origin and a cache in memory.
struct Fixture: Sendable {
    let source: FakeSource
    let store: MemoryStore
    let path: ReadPath
    let content: Content

    init(size: Int = 3_000_001, content: Content? = nil, limits: ReadLimits = .quick) {
        self.content = content ?? Content(size: size)
        source = FakeSource(self.content)
        store = MemoryStore()
        path = ReadPath(limits: limits, log: .silent, keeper: store.keeper)
    }

    var entry: RemoteEntry {
        RemoteEntry(
            name: Array("film.mkv".utf8), kind: .file, locator: EntryLocator("/film.mkv"), size: UInt64(content.bytes.count), cacheKey: "film")
    }

    func open(revision: UInt64 = 0, entry: RemoteEntry? = nil) throws -> FileReader {
        try path.open(entry ?? self.entry, revision: revision, from: source, label: ObjectLabel(source: "fake", path: "film.mkv"))
    }

    /// Reads and compares; the error's code if it failed.
    @discardableResult
    func check(_ reader: FileReader, at offset: UInt64, count: Int, sourceLocation: SourceLocation = #_sourceLocation) async -> SourceError.Code? {
        do {
            let bytes = try await reader.bytes(at: offset, count: count)
            let expected = FileRange(offset: offset, count: UInt64(count), fileSize: UInt64(content.bytes.count))
            #expect(UInt64(bytes.count) == expected.count, sourceLocation: sourceLocation)
            #expect(content.holds(bytes, at: Int(expected.offset)), "wrong bytes at \(offset)+\(count)", sourceLocation: sourceLocation)
            return nil
        } catch {
            return error.code
        }
    }

    /// Reads the whole file as `cat` does.
    func checkWhole(_ reader: FileReader, step: Int = 128 << 10, sourceLocation: SourceLocation = #_sourceLocation) async -> SourceError.Code? {
        var offset: UInt64 = 0
        while offset < reader.size {
            if let code = await check(reader, at: offset, count: step, sourceLocation: sourceLocation) { return code }
            offset += UInt64(step)
        }
        return nil
    }

    /// Starts a read and tells how it went once it went; for tests of what waits.
    func start(_ reader: FileReader, at offset: UInt64, count: Int) -> Waiting {
        let waiting = Waiting()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { buffer.deallocate() }
        let content = content
        switch reader.read(at: offset, into: buffer, later: { waiting.answer($0, content, offset) }) {
        case .done(let done): waiting.answer(.success(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<done])), content, offset)
        case .pending(let ticket): waiting.ticket.withLock { $0 = ticket }
        }
        return waiting
    }
}

final class Waiting: Sendable {
    enum Result: Equatable, Sendable {
        case right(Int)
        case wrong
        case failed(SourceError.Code)
    }
    let ticket = Mutex<ReadTicket?>(nil)
    let answers = Mutex<[Result]>([])
    let answeredAt = Mutex<ContinuousClock.Instant?>(nil)

    func answer(_ result: Swift.Result<UnsafeRawBufferPointer, SourceError>, _ content: Content, _ offset: UInt64) {
        let answer: Result =
            switch result {
            case .success(let bytes): content.holds(bytes, at: Int(offset)) ? .right(bytes.count) : .wrong
            case .failure(let error): .failed(error.code)
            }
        // Before the answer shows; and not when the waiting task comes to run, which on a busy machine is later.
        answeredAt.withLock { $0 = .now }
        answers.withLock { $0.append(answer) }
    }

    var isAnswered: Bool { answers.withLock { !$0.isEmpty } }

    /// The one answer; waits for it up to twenty seconds.
    var value: Result? {
        get async {
            await eventually { isAnswered }
            return answers.withLock { $0.count == 1 ? $0[0] : nil }
        }
    }
}

/// The code of what was thrown.
func fault(_ body: () async throws -> Void) async -> SourceError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? SourceError)?.code
    }
}

/// Waits until it is so, for at most twenty seconds.
@discardableResult
func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
    for _ in 0..<10_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return condition()
}

extension ReadLimits {
    /// The product's, with pauses for tests.
    static var quick: ReadLimits {
        var limits = ReadLimits()
        limits.firstPause = .milliseconds(1)
        limits.longestPause = .milliseconds(8)
        limits.readAheadRest = .milliseconds(5)
        limits.deadline = .seconds(20)
        limits.jitter = { 1 }
        return limits
    }
}
