internal import Bytes
package import Configuration
internal import Diagnostics
internal import Dispatch
internal import HTTPFiles
package import OriginReport
internal import SelfTest
internal import SourceAPI
internal import Synchronization
internal import Transport

/// `reelfs selftest`: asks the server of one source, without daemon, cache and mount.
package enum SelfTestRun {
    /// Blocks until it is done. To be called on the main thread.
    package static func run(_ source: ConfiguredSource, say: @escaping @Sendable (String) -> Void) -> OriginReport {
        let result = Mutex(OriginReport(address: source.publicURL))
        let done = DispatchSemaphore(value: 0)
        Task {
            let report = await report(source, say)
            result.withLock { $0 = report }
            done.signal()
        }
        done.wait()
        return result.withLock { $0 }
    }

    private static func report(_ configured: ConfiguredSource, _ say: @escaping @Sendable (String) -> Void) async -> OriginReport {
        let client = HTTPClient(log: .silent, patience: Prober.patience, largestBody: Prober.largestBody)
        defer { client.shutdown() }
        let prober = Prober(client: client)
        var report: OriginReport
        say("finding out what answers")
        do throws(SourceError) {
            let product = try await SourceFactory(client: client, log: .silent).make(configured)
            if let linked = product.source as? any LinkedSource {
                report = await SelfTest(source: linked, type: product.type.rawValue, prober: prober, say: say).run()
            } else {
                report = OriginReport(address: "", type: product.type.rawValue)
            }
            product.source.shutdown()
        } catch {
            report = OriginReport(address: "", type: configured.definition.type?.rawValue)
            report.findings.append(
                .bad(.connection, "answer", error.description, effect: "shows an error or the last listing, never an empty directory", .prevents))
        }
        report.address = configured.publicURL
        report.hide(secrets(configured))
        return report
    }

    /// All texts that must not be seen: those of the login, and of a link that lets in whoever has it, whole and in parts.
    private static func secrets(_ source: ConfiguredSource) -> [String] {
        var found = [source.secrets.password?.reveal(), source.secrets.bearer?.reveal()].compactMap { $0 }
        for header in source.secrets.headers {
            found.append(header.value.reveal())
            found += header.value.reveal().split(separator: " ").map(String.init).filter { $0.count >= 8 }
        }
        guard let url = HTTPURL(source.location.reveal()) else { return found }
        if let query = url.query {
            found += query.split(separator: "&").compactMap { $0.split(separator: "=", maxSplits: 1).last.map(String.init) }.filter { $0.count >= 8 }
        }
        if source.secrets.link != nil {
            // Names of what lies below it stay; a file's own name is a part of its link.
            let parts = url.path.split(separator: "/").map(String.init)
            found += [url.path, url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path] + parts.filter { $0.count >= 4 }
            found += parts.map { String(decoding: PercentCoding.decode($0), as: UTF8.self) }.filter { $0.count >= 4 }
        }
        return found
    }
}
