internal import Bytes
internal import ChunkStore
internal import ControlProtocol
internal import Diagnostics
internal import Glibc
internal import ReadPath
internal import Transport
internal import VirtualTree

extension Services {
    /// Counters for rates, to be taken about once a second.
    func sampleRates() {
        var values = ["line": client.statistics.bytesReceived, "readers": readPath.statistics.bytesServed]
        for source in sources.all { values["source/\(source.name)"] = source.origin.meter.bytesReceived.value }
        meter.sample(values)
    }

    /// Everything that `status` shows. Waits for the store's thread.
    func report() -> StatusReport {
        let reads = readPath.statistics, line = client.statistics
        var cacheStatus = cache.status()
        cacheStatus.hits = reads.hits
        cacheStatus.misses = reads.misses
        cacheStatus.hitBytes = reads.bytesServed > reads.bytesFetched ? reads.bytesServed - reads.bytesFetched : 0
        cacheStatus.missBytes = reads.bytesFetched
        let uptime = (ContinuousClock.now - started).components.seconds
        return StatusReport(
            daemon: DaemonStatus(
                processID: getpid(), version: ProgramVersion.text, uptimeSeconds: UInt64(max(0, uptime)), cacheDirectory: hello.cacheDirectory,
                configurationDirectory: hello.configurationDirectory, residentBytes: residentBytes()),
            mounts: mounts.all.map(\.status), sources: sources.all.map(status), openFiles: openFiles(), cache: cacheStatus,
            transfer: TransferStatus(
                requests: line.requests, bytesReceived: line.bytesReceived, errors: line.errors, openConnections: line.openConnections,
                bytesReceivedPerSecond: meter.rate("line"), bytesReadPerSecond: meter.rate("readers")))
    }

    private func status(_ source: ActiveSource) -> SourceStatus {
        let health = source.shelf.health, meter = source.origin.meter
        let state: SourceStatus.Health =
            switch health.state {
            case .unknown: .unknown
            case .healthy: health.isStale ? .degraded : .good
            case .failing: .degraded
            case .resting: .down
            }
        return SourceStatus(
            name: source.name, type: source.origin.type, url: source.origin.publicAddress, health: state, detail: health.lastError,
            listedAt: health.lastSuccess?.seconds, openFiles: UInt64(max(0, health.openFiles)), requests: meter.requests.value,
            failures: meter.failures.value, bytesReceived: meter.bytesReceived.value, bytesPerSecond: self.meter.rate("source/\(source.name)"))
    }

    private func openFiles() -> [OpenFileStatus] {
        guard readPath.statistics.openHandles > 0 else { return [] }
        return store.list().filter { $0.state != .kept }.map {
            OpenFileStatus(source: $0.label.source, path: $0.label.path, size: $0.version.size, cachedBytes: $0.cachedBytes)
        }
    }

    /// The second field of `/proc/self/statm`, in pages (proc_pid_statm(5)).
    private func residentBytes() -> UInt64? {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let fields = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = UInt64(fields[1]) else { return nil }
        return pages * UInt64(sysconf(CInt(_SC_PAGESIZE)))
    }
}
