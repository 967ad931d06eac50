internal import Bytes
internal import ChunkStore
internal import ControlProtocol
internal import ControlSocket
internal import Glibc

/// `reelfs cache …`, with and without a running daemon. Everything here blocks on disk: not for the cooperative pool.
struct CacheOperations: Sendable {
    let store: ChunkStore
    let directory: String
    /// Turns a path into the name of a source and a path in it; `nil` when it is in no mount and names no source.
    let label: @Sendable (PathReference) -> (source: String, path: String)?

    func list(_ reference: PathReference?) throws(ControlError) -> ControlAnswer {
        let objects = try select(reference).sorted { ($0.lastUse, $0.label.path) < ($1.lastUse, $1.label.path) }
        return .cacheObjects(objects: objects.map(status))
    }

    func show(_ reference: PathReference) throws(ControlError) -> ControlAnswer {
        let label = try labelOrThrow(reference)
        guard let found = try select(reference).first(where: { $0.label.path == label.path }) else {
            throw ControlError(.notFound, "nothing of \(reference.given) is in the cache", advice: "see: reelfs cache list")
        }
        var ranges: [CachedObjectDetail.Span] = []
        do throws(CacheError) {
            if let object = try store.openKept(key: found.key) {
                defer { object.close() }
                ranges = object.cachedRanges().map { CachedObjectDetail.Span(start: $0.offset, end: $0.end) }
            }
        } catch {
            throw ControlError(error)
        }
        let version = "\(found.version.size) bytes" + (found.pinned.map { ", " + $0.split(separator: "\n").joined(separator: ", ") } ?? "")
        return .cacheObject(object: status(found), detail: CachedObjectDetail(ranges: ranges, version: version, diskBytes: found.allocatedBytes))
    }

    func verify(_ reference: PathReference?, _ events: EventSink, isCancelled: () -> Bool) throws(ControlError) -> ControlAnswer {
        let chosen = try select(reference)
        let total = chosen.reduce(0) { $0 &+ $1.cachedBytes }
        let keys = reference.map { _ in Set(chosen.map(\.key)) }
        let report = store.verify(keys: keys) { progress in
            events.send(
                .progress(
                    progress: TransferProgress(
                        item: "", itemsDone: progress.objects, itemsTotal: UInt64(chosen.count), bytesDone: progress.checkedBytes, bytesTotal: total,
                        bytesPerSecond: 0)))
            return !isCancelled()
        }
        guard !report.isPartial else { throw ControlError(.cancelled, "stopped") }
        return .verified(
            report: VerifyReport(objects: report.objects, blocks: report.checkedBlocks, bytes: report.checkedBytes, damagedBlocks: report.badBlocks))
    }

    func drop(_ references: [PathReference]) throws(ControlError) -> ControlAnswer {
        var chosen: [String: CachedObjectSummary] = [:]
        for reference in references { for object in try select(reference) { chosen[object.key] = object } }
        return drop(Array(chosen.values))
    }

    func clear() -> ControlAnswer { drop(store.list()) }

    func drop(source: String) -> ControlAnswer { drop(store.list(source: source)) }

    func setLimits(maximumBytes: UInt64?, minimumFreeBytes: UInt64?) -> ControlAnswer {
        if maximumBytes != nil || minimumFreeBytes != nil {
            var limits = store.limits
            if let maximumBytes { limits.maximumBytes = maximumBytes }
            if let minimumFreeBytes { limits.minimumFreeBytes = minimumFreeBytes }
            store.setLimits(limits)
        }
        return .limits(cache: status())
    }

    /// Writes the files that are whole in the cache.
    func export(_ references: [PathReference], to path: String, _ events: EventSink) throws(ControlError) -> ControlAnswer {
        let output = try OutputDirectory(path: path)
        var report = FetchReport(files: 0, bytes: 0, bytesAlreadyThere: 0, failures: [])
        for reference in references {
            let named = try labelOrThrow(reference)
            let chosen = try select(reference)
            guard !chosen.isEmpty else {
                report.failures.append(
                    ItemFailure(item: reference.given, message: "nothing of it is in the cache", advice: "reelfs get \(reference.given)"))
                continue
            }
            for object in chosen {
                do throws(ControlError) {
                    try export(object, as: Self.outputPath(of: object.label.path, named), output)
                    report.files += 1
                    report.bytes += object.version.size
                } catch {
                    report.failures.append(ItemFailure(item: object.label.path, message: error.message, advice: error.advice))
                }
            }
        }
        return .fetched(report: report)
    }

    /// Figures of the store, for `status` too.
    func status() -> CacheStatus {
        let figures = store.statistics
        var disk = statvfs()
        let free = statvfs(directory, &disk) == 0 ? UInt64(disk.f_bavail) &* UInt64(disk.f_frsize) : 0
        return CacheStatus(
            directory: directory, bytes: figures.usedBytes, maximumBytes: figures.limits.maximumBytes,
            minimumFreeBytes: figures.limits.minimumFreeBytes,
            diskFreeBytes: free, objects: figures.objects, damagedBlocks: figures.badBlocks)
    }

    // MARK: - Steps

    private func labelOrThrow(_ reference: PathReference) throws(ControlError) -> (source: String, path: String) {
        guard let label = label(reference) else {
            throw ControlError(
                .notFound, "\(reference.given) is in no mount and names no source", advice: "give a path below a mount point, or SOURCE/PATH")
        }
        return label
    }

    /// The objects at the path and below it.
    private func select(_ reference: PathReference?) throws(ControlError) -> [CachedObjectSummary] {
        guard let reference else { return store.list() }
        let label = try labelOrThrow(reference)
        return store.list(source: label.source).filter { object in
            label.path.isEmpty || object.label.path == label.path || object.label.path.hasPrefix(label.path + "/")
        }
    }

    private func drop(_ objects: [CachedObjectSummary]) -> ControlAnswer {
        var bytes: UInt64 = 0, dropped: UInt64 = 0, kept: UInt64 = 0
        for object in objects {
            guard object.state == .kept else {
                kept += 1
                continue
            }
            bytes += store.drop(key: object.key)
            dropped += 1
        }
        return .freed(bytes: bytes, objects: dropped, keptInUse: kept)
    }

    /// As cp does, and `get`: what is named keeps its last name below the directory; of a whole source that is its own.
    private static func outputPath(of path: String, _ named: (source: String, path: String)) -> [String] {
        let names = path.split(separator: "/").map(String.init)
        if named.path.isEmpty { return [named.source] + names }
        return Array(names.dropFirst(named.path.split(separator: "/").count - 1))
    }

    private func export(_ summary: CachedObjectSummary, as names: [String], _ output: OutputDirectory) throws(ControlError) {
        guard !names.isEmpty, !names.contains("."), !names.contains("..") else { throw ControlError(.invalid, "it has no name that can be written") }
        let object: CachedObject?
        do throws(CacheError) { object = try store.openKept(key: summary.key) } catch { throw ControlError(error) }
        guard let object else { throw ControlError(.notFound, "it left the cache meanwhile") }
        defer { object.close() }
        guard object.missing(in: 0..<Block.count(fileSize: object.size)).isEmpty else {
            throw ControlError(
                .cacheFailed, "only \(summary.cachedBytes) of \(object.size) bytes are in the cache", advice: "fetch the rest: reelfs get")
        }
        let file = try output.create(names)
        do throws(ControlError) {
            var offset: UInt64 = 0
            while offset < object.size {
                let range = FileRange(offset: offset, count: 1 << 20, fileSize: object.size)
                let bytes = [UInt8](unsafeUninitializedCapacity: Int(range.count)) { buffer, count in
                    count = object.read(range, into: UnsafeMutableRawBufferPointer(buffer))
                }
                guard UInt64(bytes.count) == range.count else { throw ControlError(.cacheFailed, "a block left the cache, or was damaged") }
                try file.write(bytes)
                offset = range.end
            }
            try file.finish(modified: nil)
        } catch {
            file.abandon()
            throw error
        }
    }

    private func status(_ object: CachedObjectSummary) -> CachedObjectStatus {
        CachedObjectStatus(
            source: object.label.source, path: object.label.path, size: object.version.size, cachedBytes: object.cachedBytes,
            lastUsed: object.lastUse.seconds, isOpen: object.state != .kept)
    }
}
