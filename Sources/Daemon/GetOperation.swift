internal import Bytes
internal import ControlProtocol
internal import ControlSocket
internal import Diagnostics
internal import ReadPath
internal import SourceAPI
internal import Synchronization
internal import VirtualTree

/// `reelfs get`: fetches files and whole directories into the cache, or out to a directory. What is cached is not fetched
/// again, so that an interrupted one goes on where it was.
struct GetOperation: Sendable {
    let resolver: PathResolver
    let log: Log

    /// Files at a time: small ones wait for round trips, not for the line.
    private static let parallelFiles = 4
    /// What is read at a time when copying: the read path then keeps its window full.
    private static let copyPiece = 4 << 20

    private struct Item: Sendable {
        let tree: VirtualTree
        let entry: ResolvedEntry
        /// Names below the output directory.
        let path: [String]
        let shown: String
    }

    private struct Outcome: Sendable {
        var bytes: UInt64 = 0
        var alreadyThere: UInt64 = 0
    }

    func run(_ paths: [PathReference], to directory: String?, _ events: EventSink) async throws(ControlError) -> FetchReport {
        let reporter = ProgressReporter(events)
        var output: OutputDirectory?
        if let directory { output = try await BlockingWork.run { () throws(ControlError) in try OutputDirectory(path: directory) } }
        var failures: [ItemFailure] = []
        let items = try await find(paths, output, reporter, &failures)
        reporter.expect(files: UInt64(items.count), bytes: items.reduce(0) { $0 &+ $1.entry.size })

        var report = FetchReport(files: 0, bytes: 0, bytesAlreadyThere: 0, failures: failures)
        let into = output
        await withTaskGroup(of: Result<Outcome, ItemFailureError>.self) { group in
            var waiting = items.makeIterator()
            func startNext() {
                guard !Task.isCancelled, let item = waiting.next() else { return }
                group.addTask { await fetch(item, into, reporter) }
            }
            for _ in 0..<Self.parallelFiles { startNext() }
            for await result in group {
                switch result {
                case .success(let outcome):
                    report.files += 1
                    report.bytes += outcome.bytes
                    report.bytesAlreadyThere += outcome.alreadyThere
                case .failure(let failure):
                    report.failures.append(failure.failure)
                    events.send(.note(text: "\(failure.failure.item): \(failure.failure.message)"))
                }
                reporter.finishItem()
                startNext()
            }
        }
        guard !Task.isCancelled else { throw ControlError(.cancelled, "stopped; what came stays in the cache") }
        reporter.flush()
        return report
    }

    private struct ItemFailureError: Error, Sendable { let failure: ItemFailure }

    // MARK: - What to fetch

    private func find(
        _ paths: [PathReference], _ output: OutputDirectory?, _ reporter: ProgressReporter, _ failures: inout [ItemFailure]
    ) async throws(ControlError) -> [Item] {
        var items: [Item] = []
        var failed: [ItemFailure] = []
        for reference in paths {
            let (place, start) = try await resolver.resolve(reference)
            // As cp does: what is named keeps its last name below the directory.
            let base = start.path.split(separator: UInt8(ascii: "/")).dropLast().reduce(0) { $0 + $1.count + 1 }
            await place.tree.walk(start) { entry in
                let below = String(decoding: entry.path.dropFirst(base), as: UTF8.self).split(separator: "/").map(String.init)
                let path = start.path.isEmpty ? [place.rootName] + below : below
                let shown = String(decoding: entry.path, as: UTF8.self)
                reporter.found(shown)
                if entry.kind == .file {
                    items.append(Item(tree: place.tree, entry: entry, path: path, shown: shown))
                } else if let output {
                    await BlockingWork.run { try? output.makeDirectory(path) }
                }
                return !Task.isCancelled
            } failed: { path, error in
                failed.append(ItemFailure(item: String(decoding: path, as: UTF8.self), message: error.detail, advice: error.advice))
            }
        }
        failures += failed
        return items
    }

    // MARK: - One file

    private func fetch(_ item: Item, _ output: OutputDirectory?, _ reporter: ProgressReporter) async -> Result<Outcome, ItemFailureError> {
        do throws(ControlError) {
            if let output {
                let size = item.entry.size, modified = item.entry.modified?.seconds
                if await BlockingWork.run({ output.holds(item.path, size: size, modified: modified) }) {
                    reporter.add(bytes: size, moved: 0, item: item.shown)
                    return .success(Outcome(bytes: size, alreadyThere: size))
                }
            }
            let file: OpenFile
            do throws(TreeError) { file = try item.tree.open(item.entry) } catch { throw ControlError(error) }
            defer { file.close() }
            guard let reader = file.fileReader else { throw ControlError(.internalFault, "this file cannot be fetched") }
            return .success(output == nil ? try await keep(item, reader, reporter) : try await copy(item, reader, output, reporter))
        } catch {
            return .failure(ItemFailureError(failure: ItemFailure(item: item.shown, message: error.message, advice: error.advice)))
        }
    }

    private func keep(_ item: Item, _ reader: FileReader, _ reporter: ProgressReporter) async throws(ControlError) -> Outcome {
        let seen = Mutex((first: UInt64?.none, last: UInt64(0)))
        let unkept: UInt64
        do throws(SourceError) {
            unkept = try await reader.fetchWhole { progress in
                let (present, moved) = seen.withLock { seen in
                    let isFirst = seen.first == nil
                    if isFirst { seen.first = progress.present }
                    let delta = progress.present > seen.last ? progress.present - seen.last : 0
                    seen.last = max(seen.last, progress.present)
                    return (delta, isFirst ? 0 : delta)
                }
                reporter.add(bytes: present, moved: moved, item: item.shown)
            }
        } catch {
            throw ControlError(error.code == .cancelled ? .cancelled : .sourceFailed, error.detail, advice: error.advice)
        }
        guard unkept == 0 else {
            throw ControlError(
                .cacheFailed, "\(unkept) of \(reader.size) bytes do not fit the cache",
                advice: "make it larger (reelfs cache limit SIZE), or copy out: --to DIR")
        }
        let first = seen.withLock { $0.first ?? reader.size }
        return Outcome(bytes: reader.size, alreadyThere: min(first, reader.size))
    }

    private func copy(
        _ item: Item, _ reader: FileReader, _ output: OutputDirectory?, _ reporter: ProgressReporter
    ) async throws(ControlError) -> Outcome {
        guard let output else { return Outcome() }
        let file = try await BlockingWork.run { () throws(ControlError) in try output.create(item.path) }
        do throws(ControlError) {
            var offset: UInt64 = 0
            while offset < reader.size {
                let bytes: [UInt8]
                do throws(SourceError) { bytes = try await reader.bytes(at: offset, count: Self.copyPiece) } catch {
                    throw ControlError(error.code == .cancelled ? .cancelled : .sourceFailed, error.detail, advice: error.advice)
                }
                guard !bytes.isEmpty else { throw ControlError(.internalFault, "the file ended early") }
                try await BlockingWork.run { () throws(ControlError) in try file.write(bytes) }
                offset += UInt64(bytes.count)
                reporter.add(bytes: UInt64(bytes.count), moved: UInt64(bytes.count), item: item.shown)
            }
            let modified = item.entry.modified?.seconds
            try await BlockingWork.run { () throws(ControlError) in try file.finish(modified: modified) }
        } catch {
            await BlockingWork.run { file.abandon() }
            throw error
        }
        return Outcome(bytes: reader.size)
    }
}
