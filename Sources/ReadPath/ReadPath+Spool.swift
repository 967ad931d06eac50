package import SourceAPI
internal import Bytes
internal import ChunkStore
internal import Diagnostics
internal import Synchronization

/// A file that was fetched whole to learn its size. Its bytes stay in the cache while this holds them open.
struct SpooledFile: Sendable {
    let cacheKey: String
    let source: ObjectIdentifier
    let entityTag: String?
    let version: ObjectVersion
    let kept: any BlockKeeping
}

extension ReadPath {
    /// How many spooled files are held for who opens them.
    private static let spooledLimit = 16

    /// Learns the size of a file that no request tells, by fetching it whole: up to 64 MiB. The next `open` of the
    /// returned entry serves these very bytes. They are not kept for a later run. One at a time; transient faults are
    /// retried within a read's deadline.
    ///
    /// - Returns: the entry with `size` set, and the time of modification if the listing had none.
    /// - Throws: `.sizeUnknown` for a larger file.
    package func spool(_ entry: RemoteEntry, from source: any Source) async throws(SourceError) -> RemoteEntry {
        await spoolGate.enter()
        defer { spoolGate.leave() }
        let deadline = SuspendingClock.now + shared.limits.deadline
        var failures = 0
        while true {
            switch await spoolOnce(entry, source, deadline) {
            case .told(let size, let validator): return Self.sized(entry, size, validator)
            case .spooled(let blocks, let size, let validator):
                keepSpooled(entry, source, blocks, size, validator)
                return Self.sized(entry, size, validator)
            case .failed(let error):
                failures += 1
                var asked: Duration?
                if case .throttled(let after) = error.code { asked = after }
                let pause = shared.limits.pause(failures: failures, retryAfter: asked)
                guard error.isTransient, SuspendingClock.now + pause < deadline else { throw error }
                do { try await Task.sleep(for: pause) } catch { throw SourceError(.cancelled, "the spool was cancelled") }
            }
        }
    }

    private func spoolOnce(_ entry: RemoteEntry, _ source: any Source, _ deadline: SuspendingClock.Instant) async -> SpoolSink.Outcome {
        let name = Redaction.url(entry.locator.text)
        let sink = SpoolSink(limit: shared.limits.spoolBytes, name: name, budget: shared.budget)
        shared.at(deadline) { [weak sink] in sink?.give(up: SourceError(.timedOut, "\(name): its size was not learned in time")) }
        var entry = entry
        entry.size = nil
        let request = FetchRequest(entry: entry, range: FileRange(offset: 0, end: .max), pinned: nil)
        return await withTaskCancellationHandler {
            await sink.outcome { source.fetch(request, into: $0) }
        } onCancel: {
            sink.give(up: SourceError(.cancelled, "\(name): the spool was cancelled"))
        }
    }

    private func keepSpooled(_ entry: RemoteEntry, _ source: any Source, _ blocks: [[UInt8]], _ size: UInt64, _ validator: Validator) {
        guard size > 0 else { return }
        // A version of its own: the bytes that come another time may be others.
        let version = ObjectVersion(size: size, tag: "spooled \(nextNumber()) " + Self.tag(of: entry, revision: 0))
        let kept = keep(entry.cacheKey, version, ObjectLabel(source: source.publicAddress, path: String(decoding: entry.name, as: UTF8.self)))
        do { try kept.pin(validator.pinnedText, keep: false) } catch { return }
        for (number, block) in blocks.enumerated() { kept.write(UInt64(number), block) }
        let file = SpooledFile(cacheKey: entry.cacheKey, source: ObjectIdentifier(source), entityTag: entry.entityTag, version: version, kept: kept)
        let gone = state.withLock { state -> [SpooledFile] in
            var gone = state.spooled.filter { $0.cacheKey == file.cacheKey && $0.source == file.source }
            state.spooled.removeAll { $0.cacheKey == file.cacheKey && $0.source == file.source }
            state.spooled.append(file)
            if state.spooled.count > Self.spooledLimit { gone.append(state.spooled.removeFirst()) }
            return gone
        }
        for file in gone { file.kept.close() }
    }

    /// The spooled bytes that an entry's handles are to be given.
    func spooledFile(for entry: RemoteEntry, size: UInt64, source: any Source) -> SpooledFile? {
        state.withLock { state in
            state.spooled.last {
                $0.cacheKey == entry.cacheKey && $0.source == ObjectIdentifier(source) && $0.version.size == size && $0.entityTag == entry.entityTag
            }
        }
    }

    private static func sized(_ entry: RemoteEntry, _ size: UInt64, _ validator: Validator) -> RemoteEntry {
        var entry = entry
        entry.size = size
        entry.modified = entry.modified ?? validator.modified
        return entry
    }
}
