import Bytes
import ChunkStore
import Diagnostics
import HTTPIndexSource
import ReadPath
import SourceAPI
import TestSupport
import Testing
import Transport
import WebDAVSource

/// A fault origin, read as a mount reads it: through a source, its listing, probes, the read path and a cache on disk. All
/// deadlines are short, so that what hangs is told within seconds.
final class FaultyReading: Sendable {
    enum Kind: String, CaseIterable, Sendable { case webdav, http }

    /// What a try gave: what was right, or the code of a typed error. Anything else is an issue.
    enum Outcome: Equatable, Sendable, CustomStringConvertible {
        case right
        case failed(SourceError.Code)

        var description: String {
            switch self {
            case .right: "right"
            case .failed(let code): "failed: \(code)"
            }
        }

        var isFailure: Bool { self != .right }
    }

    /// What a listing or a read may take with all its tries, where all of them fail: deadlines with slack for a busy machine.
    static let limit = Duration.seconds(40)
    /// For what passes: long enough that no busy machine makes an error of it.
    static let patient = Duration.seconds(30)

    let origin: FaultOrigin
    let source: any Source
    let expected: FaultTree
    private let path: ReadPath
    private let client: HTTPClient
    private let store: ChunkStore
    private let directory: TemporaryDirectory

    static let film: [UInt8] = {
        var random = RepeatableRandom(seed: 77)
        return random.bytes(300_001)
    }()

    static var tree: FaultTree {
        var tree = FaultTree()
        tree.add("/film.bin", FaultTree.File(film))
        tree.add("/with space%20.bin", FaultTree.File(Array(film[..<5000])))
        tree.add("/sub/inner.bin", FaultTree.File([1, 2, 3]))
        return tree
    }

    /// - Parameter time: how long one listing and one read may take.
    init(
        _ kind: Kind, _ faults: [Fault] = [], tree: FaultTree = FaultyReading.tree, access: HTTPAccess = HTTPAccess(),
        within time: Duration = .seconds(4)
    ) throws {
        origin = FaultOrigin(tree, faults)
        expected = tree
        directory = try TemporaryDirectory("fault")
        client = HTTPClient(log: .silent, patience: HTTPDeadlines(connect: .seconds(5), idle: .seconds(1), total: time))
        let address = try #require(HTTPURL(origin.url))
        source =
            switch kind {
            case .webdav: WebDAVDrive(address: address, client: client, access: access, log: .silent)
            case .http: HTTPIndex(address: address, client: client, access: access, log: .silent)
            }
        store = try ChunkStore(
            directory: directory.path + "/cache", limits: CacheLimits(maximumBytes: 100 << 20, minimumFreeBytes: 0), log: .silent)
        var limits = ReadLimits()
        limits.deadline = time
        limits.firstPause = .milliseconds(5)
        limits.longestPause = .milliseconds(50)
        path = ReadPath(store: store, limits: limits, log: .silent)
    }

    func close() {
        source.shutdown()
        client.shutdown()
        store.close()
        origin.stop()
    }

    /// Lists the root: exactly what the tree has, or an error.
    func list() async -> Outcome { await listing().1 }

    private func listing() async -> ([RemoteEntry], Outcome) {
        let start = ContinuousClock.now
        let outcome: ([RemoteEntry], Outcome)
        do throws(SourceError) {
            let entries = try await source.list(source.root).entries
            let names = entries.map { String(decoding: $0.name, as: UTF8.self) + ($0.kind == .directory ? "/" : "") }.sorted()
            let right = expected.names(in: "/")
            #expect(names == right, "a listing that is not the tree's")
            for entry in entries {
                guard let file = expected.files["/" + String(decoding: entry.name, as: UTF8.self)], let size = entry.size else { continue }
                #expect(size == UInt64(file.bytes.count))
            }
            outcome = (entries, .right)
        } catch { outcome = ([], .failed(error.code)) }
        #expect(ContinuousClock.now - start < Self.limit, "the listing took too long")
        return outcome
    }

    /// Reads `/film.bin` from front to back, as `cat` does, in a new handle.
    ///
    /// - Parameter start: the first byte that is read.
    func read(step: Int = 100_000, from start: Int = 0) async -> Outcome {
        let (entries, listed) = await listing()
        guard listed == .right else { return listed }
        return await read(entries, step: step, from: start)
    }

    private func read(_ entries: [RemoteEntry], step: Int, from first: Int) async -> Outcome {
        guard var entry = entries.first(where: { $0.name == Array("film.bin".utf8) }) else { return .failed(.notFound) }
        let start = ContinuousClock.now
        defer { #expect(ContinuousClock.now - start < Self.limit, "the read took too long") }
        do throws(SourceError) {
            if entry.size == nil { entry = try await sized(entry) }
            let reader = try path.open(entry, revision: 0, from: source, label: ObjectLabel(source: "fault", path: "film.bin"))
            defer { reader.close() }
            let size = Self.film.count
            #expect(reader.size == UInt64(size), "a wrong size was learned")
            var offset = first
            while offset < size {
                let bytes = try await reader.bytes(at: UInt64(offset), count: step)
                let isRight = bytes.elementsEqual(Self.film[offset..<min(offset + step, size)])
                #expect(isRight, "wrong bytes at \(offset)")
                offset += step
            }
            return .right
        } catch { return .failed(error.code) }
    }

    /// As a mount learns a size: by a probe, else by reading it all.
    private func sized(_ entry: RemoteEntry) async throws(SourceError) -> RemoteEntry {
        do throws(SourceError) { return try await source.probe(entry) } catch {
            guard error.code == .sizeUnknown else { throw error }
            return try await path.spool(entry, from: source)
        }
    }
}
