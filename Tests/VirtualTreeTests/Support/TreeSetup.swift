import Bytes
import Diagnostics
import SourceAPI
import Synchronization
import Testing
@testable import VirtualTree

/// A tree over one scripted source, with a clock that stands still.
struct TreeSetup {
    let source: ScriptedSource
    let clock: ManualClock
    let archive: MemoryArchive
    let content: PlainContent
    let shelf: SourceShelf
    let tree: VirtualTree

    init(
        _ source: ScriptedSource = ScriptedSource(), clock: ManualClock = ManualClock(), archive: MemoryArchive = MemoryArchive(),
        options: ShelfOptions = ShelfOptions()
    ) {
        self.source = source
        self.clock = clock
        self.archive = archive
        content = PlainContent()
        shelf = SourceShelf(name: "drive", source: source, listings: archive, content: content, options: options, clock: clock, log: .silent)
        tree = VirtualTree(root: .shelf(shelf), log: .silent)
    }

    /// The root was listed, and nothing is under way.
    func settle() async { await settled(shelf) }

    func lookup(_ parent: UInt64 = 1, _ name: String) async throws(TreeError) -> Attributes { try await tree.find(parent, Array(name.utf8)) }
}

/// Nothing of the shelf is under way.
func settled(_ shelf: SourceShelf) async {
    await eventually("the shelf comes to rest") {
        shelf.state.withLock { state in state.table.directories.values.allSatisfy { $0.flight == nil } && state.probes.running == 0 }
    }
}

/// Waits until it holds; a failure after ten seconds.
func eventually(_ what: String, _ condition: () -> Bool) async {
    for _ in 0..<5000 {
        if condition() { return }
        try? await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("never: \(what)")
}

extension VirtualTree {
    func find(_ parent: UInt64, _ name: [UInt8]) async throws(TreeError) -> Attributes {
        try await withCheckedContinuation { continuation in
            _ = lookup(parent: parent, name: name) { continuation.resume(returning: $0) }
        }.get()
    }

    func directory(_ number: UInt64) async throws(TreeError) -> DirectoryHandle {
        try await withCheckedContinuation { continuation in
            _ = openDirectory(number) { continuation.resume(returning: $0) }
        }.get()
    }

    func file(_ number: UInt64) async throws(TreeError) -> OpenFile {
        try await withCheckedContinuation { continuation in
            _ = open(number) { continuation.resume(returning: $0) }
        }.get()
    }

    func stat(_ number: UInt64) async throws(TreeError) -> Attributes {
        try await withCheckedContinuation { continuation in
            _ = attributes(of: number) { continuation.resume(returning: $0) }
        }.get()
    }
}

extension OpenFile {
    func bytes(at offset: UInt64, count: Int) async throws -> [UInt8] {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<[UInt8], SourceError>, Never>) in
            var here: [UInt8]?
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                let outcome = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer)) { result in
                    continuation.resume(returning: result.map { Array($0) })
                }
                if case .done(let done) = outcome {
                    initialized = done
                    here = []
                }
            }
            if here != nil { continuation.resume(returning: .success(bytes)) }
        }.get()
    }
}

extension DirectoryHandle {
    var names: [String] { (0..<count).compactMap { self[$0].map { String(decoding: $0.name, as: UTF8.self) } } }
}

/// Answers of callbacks, gathered.
final class Gathered<Value: Sendable>: Sendable {
    private let storage = Mutex<[Value]>([])
    func add(_ value: Value) { storage.withLock { $0.append(value) } }
    var values: [Value] { storage.withLock { $0 } }
    var count: Int { storage.withLock { $0.count } }
}

/// What the kernel was told.
final class RecordingObserver: TreeObserver {
    let entries = Gathered<String>()
    let nodes = Gathered<UInt64>()
    func invalidateEntry(parent: UInt64, name: [UInt8]) { entries.add("\(parent) \(String(decoding: name, as: UTF8.self))") }
    func invalidateNode(_ number: UInt64) { nodes.add(number) }
}
