import Bytes
import SourceAPI
import Synchronization
import TestSupport
import Testing

/// Walks a source as a mount would, and compares all of it with the directory that the server serves.
struct SourceWalk {
    let source: any Source
    let root: String

    struct Found {
        var files = 0
        var directories = 0
        var probes = 0
    }

    /// Every name, kind, size, time and byte below the root is the disk's.
    @discardableResult
    func compare(_ comment: String) async throws -> Found {
        var found = Found()
        try await compare(source.root, "", comment, &found)
        return found
    }

    private func compare(_ directory: EntryLocator, _ path: String, _ comment: String, _ found: inout Found) async throws {
        let listing = try await source.list(directory)
        let onDisk = try FileTree.names("\(root)/\(path)")
        let names = listing.entries.map { String(decoding: $0.name, as: UTF8.self) }
        #expect(
            names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { Array($0.utf8) } == onDisk.map { Array($0.utf8) },
            "\(comment): /\(path)")
        #expect(Set(listing.entries.map(\.locator)).count == listing.entries.count, "\(comment): locators repeat in /\(path)")
        found.directories += 1
        for entry in listing.entries {
            let name = String(decoding: entry.name, as: UTF8.self)
            let place = path.isEmpty ? name : "\(path)/\(name)"
            guard onDisk.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { continue }
            let facts = try FileTree.facts("\(root)/\(place)")
            #expect((entry.kind == .directory) == facts.isDirectory, "\(comment): \(place)")
            if entry.kind == .directory {
                try await compare(entry.locator, place, comment, &found)
            } else {
                try await compare(entry, place, facts, comment, &found)
            }
        }
    }

    private func compare(_ entry: RemoteEntry, _ place: String, _ facts: FileTree.Facts, _ comment: String, _ found: inout Found) async throws {
        var exact = entry
        if entry.size == nil {
            do throws(SourceError) { exact = try await source.probe(entry) } catch {
                Issue.record("\(comment): probe of \(place): \(error)")
                return
            }
            found.probes += 1
        }
        #expect(exact.size == facts.size, "\(comment): \(place)")
        if let modified = exact.modified {
            // An index of nginx tells whole minutes.
            let difference = facts.modifiedSeconds - modified.seconds
            #expect(difference >= 0 && difference < 60, "\(comment): time of \(place)")
        }
        found.files += 1
        guard facts.size > 0 else { return }
        let bytes = try FileTree.read("\(root)/\(place)")
        let received = await CollectingSink.fetch(exact, FileRange(offset: 0, end: facts.size), from: source)
        #expect(received.error == nil, "\(comment): \(place)")
        #expect(Octets(received.bytes) == Octets(bytes), "\(comment): bytes of \(place)")
    }
}

/// Keeps what one fetch gives.
final class CollectingSink: FetchSink {
    struct Received: Sendable {
        var reply: FetchReply?
        var bytes: [UInt8] = []
        var error: SourceError?
    }

    private let received = Mutex(Received())
    private let done: @Sendable (Received) -> Void

    private init(_ done: @escaping @Sendable (Received) -> Void) { self.done = done }

    static func fetch(_ entry: RemoteEntry, _ range: FileRange, from source: any Source) async -> Received {
        await withCheckedContinuation { continuation in
            _ = source.fetch(FetchRequest(entry: entry, range: range, pinned: nil), into: CollectingSink { continuation.resume(returning: $0) })
        }
    }

    func begin(_ reply: FetchReply) -> FetchDecision {
        received.withLock { $0.reply = reply }
        return .proceed
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> FetchDecision {
        received.withLock { $0.bytes.append(contentsOf: bytes) }
        return .proceed
    }

    func end(_ error: SourceError?) {
        done(
            received.withLock { received in
                received.error = error
                return received
            })
    }
}
