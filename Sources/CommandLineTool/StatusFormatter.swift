internal import Configuration
internal import ControlProtocol
internal import Diagnostics

/// A status report as text. Pure.
enum StatusFormatter {
    static func text(_ report: StatusReport) -> String {
        var text = daemon(report) + cache(report.cache) + transfer(report.transfer)
        if !report.mounts.isEmpty {
            text +=
                "\n"
                + TextColumns.table(
                    ["MOUNT", "OPEN", "SOURCES"],
                    report.mounts.map { [$0.mountPoint, String($0.openFiles), $0.sources.joined(separator: ", ")] }, right: [1])
        }
        if !report.sources.isEmpty {
            text +=
                "\n"
                + TextColumns.table(
                    ["SOURCE", "TYPE", "HEALTH", "REQUESTS", "FAILED", "RECEIVED", "RATE", "URL"], report.sources.map(row), right: [3, 4, 5, 6])
            for source in report.sources {
                if let detail = source.detail { text += Redaction.line("  \(source.name): \(detail)") + "\n" }
            }
        }
        if !report.openFiles.isEmpty {
            text +=
                "\n"
                + TextColumns.table(
                    ["OPEN FILE", "SIZE", "CACHED", "RATE"],
                    report.openFiles.map {
                        [
                            "\($0.source)/\($0.path)", ByteSize.format($0.size), percent($0.cachedBytes, of: $0.size),
                            ByteSize.format($0.bytesPerSecond) + "/s",
                        ]
                    }, right: [1, 2, 3])
        }
        return text
    }

    private static func daemon(_ report: StatusReport) -> String {
        let daemon = report.daemon
        let memory = daemon.residentBytes.map { ", memory " + ByteSize.format($0) } ?? ""
        let mounts = "\(report.mounts.count) " + (report.mounts.count == 1 ? "mount" : "mounts")
        return Redaction.line(
            "reelfs \(daemon.version), pid \(daemon.processID), up \(ProgressFormatter.duration(daemon.uptimeSeconds))\(memory), \(mounts)") + "\n"
    }

    private static func cache(_ cache: CacheStatus) -> String {
        let reads = cache.hits &+ cache.misses
        var text =
            Redaction.line(
                "cache: \(ByteSize.format(cache.bytes)) of \(ByteSize.format(cache.maximumBytes)), \(counted(cache.objects, "file")), "
                    + "disk free \(ByteSize.format(cache.diskFreeBytes))"
                    + (reads > 0 ? ", \(percent(cache.hits, of: reads)) of reads from it" : "")
                    + (cache.damagedBlocks > 0 ? ", \(counted(cache.damagedBlocks, "damaged block")) fetched again" : "") + ", in \(cache.directory)")
            + "\n"
        if let fault = cache.fault { text += Redaction.line("cache: nothing is kept just now: \(fault)") + "\n" }
        return text
    }

    private static func transfer(_ transfer: TransferStatus) -> String {
        "network: \(ByteSize.format(transfer.bytesReceivedPerSecond))/s in, \(transfer.requests) requests, "
            + "\(ByteSize.format(transfer.bytesReceived)) received, "
            + "\(transfer.errors) errors, \(transfer.openConnections) connections; programs read \(ByteSize.format(transfer.bytesReadPerSecond))/s\n"
    }

    private static func row(_ source: SourceStatus) -> [String] {
        [
            source.name, source.type?.rawValue ?? "auto", source.health.rawValue, String(source.requests), String(source.failures),
            ByteSize.format(source.bytesReceived), ByteSize.format(source.bytesPerSecond) + "/s", source.url,
        ]
    }

    static func percent(_ part: UInt64, of whole: UInt64) -> String {
        whole == 0 ? "100%" : "\(Int((Double(min(part, whole)) / Double(whole) * 100).rounded(.down)))%"
    }
}
