internal import Bytes
internal import Diagnostics
package import HTTPFiles
package import OriginReport
internal import SourceAPI
internal import Transport

/// Looks at a server through a source and beside it: lists, chooses a file, asks it for parts, reads it as a mount does.
package struct SelfTest: Sendable {
    let source: any LinkedSource
    let type: String
    let prober: Prober
    let say: @Sendable (String) -> Void

    /// - Parameter say: told what is being asked, for people who wait.
    package init(source: any LinkedSource, type: String, prober: Prober, say: @escaping @Sendable (String) -> Void) {
        self.source = source
        self.type = type
        self.prober = prober
        self.say = say
    }

    /// Never throws: what fails is a finding.
    package func run() async -> OriginReport {
        var report = OriginReport(address: source.publicAddress, type: type)
        say("asking for the listing")
        report.findings += encryption()
        if let link = source.link(of: root), type != "list" {
            let probes = ListingProbes(prober: prober, link: link)
            let (findings, isTooLarge) = type == "webdav" ? await probes.webDAV() : await probes.page()
            report.findings += findings
            if isTooLarge {
                report.findings.append(.note(.reading, "sample", "no file was read", effect: "give the address of a smaller directory, or of a file"))
                return ended(report)
            }
        }
        if let entry = await sample(&report) {
            report.findings.append(
                .ok(.reading, "sample", "\(Redaction.line(String(decoding: entry.name, as: UTF8.self))), \(entry.size ?? 0) bytes"))
            if let link = source.link(of: entry), let size = entry.size { await look(at: link, size, entry, &report) }
            say("reading as a mount does")
            report.findings.append(await read(entry))
        }
        return ended(report)
    }

    private func ended(_ report: OriginReport) -> OriginReport {
        var report = report
        if prober.isOver { report.findings.append(.note(.connection, "time", "stopped after \(Int(prober.seconds)) seconds", effect: nil)) }
        report.requests = prober.requests
        report.bytes = prober.bytes
        report.seconds = Double(Int(prober.seconds * 1000)) / 1000
        return report
    }

    // MARK: A file to look at

    /// Bytes that show how fast a server is; a smaller file will do.
    private static let enough: UInt64 = 1 << 20

    /// The largest file of the root, or of one of the first directories where the root has only small ones; its size is known.
    private func sample(_ report: inout OriginReport) async -> RemoteEntry? {
        let entries: [RemoteEntry]
        do throws(SourceError) {
            entries = try await source.list(source.root).entries
        } catch {
            report.findings.append(
                .bad(
                    .listing, "as reelfs lists it", error.description, effect: "shows an error or the last listing, never an empty directory",
                    .prevents))
            return nil
        }
        let files = entries.filter { $0.kind == .file }
        let exact = files.count { $0.size != nil }
        let sizes = exact == files.count ? "all files with exact sizes" : "\(exact) of \(files.count) files with exact sizes"
        report.findings.append(
            .ok(
                .listing, "as reelfs lists it", "\(entries.count == 1 ? "1 entry" : "\(entries.count) entries"), \(sizes)",
                effect: exact == files.count ? nil : "asks the others when they are looked at"))
        var problem: SourceError?
        var found = await largest(files, &problem)
        for directory in entries.filter({ $0.kind == .directory }).prefix(6) where !prober.isOver && found?.size ?? 0 < Self.enough {
            guard prober.bytesLeft > 2 * UInt64(Prober.largestBody) else { break }
            guard let inside = try? await source.list(directory.locator).entries else { continue }
            let other = await largest(inside.filter { $0.kind == .file }, &problem)
            if other?.size ?? 0 > found?.size ?? 0 { found = other }
        }
        if let found {
            if let problem {
                report.findings.append(.note(.reading, "another file", problem.description, effect: "gives this error to who looks at it"))
            }
            return found
        }
        if let problem {
            let isUnknown = problem.code == .sizeUnknown
            report.findings.append(
                .bad(
                    .versions, "length", problem.description,
                    effect: isUnknown ? "reads files up to 64 MiB once to learn their size" : "shows an error for such files",
                    isUnknown || problem.isTransient ? .limits : .prevents))
        } else {
            report.findings.append(.note(.reading, "sample", "no file with bytes was found", effect: "give the address of a directory with files"))
        }
        return nil
    }

    private func largest(_ files: [RemoteEntry], _ problem: inout SourceError?) async -> RemoteEntry? {
        if let known = files.filter({ $0.size != nil }).max(by: { ($0.size ?? 0) < ($1.size ?? 0) }), known.size != 0 { return known }
        var found: RemoteEntry?
        for file in files.filter({ $0.size == nil }).prefix(3) where !prober.isOver {
            do throws(SourceError) {
                let sized = try await source.probe(file)
                if let size = sized.size, size > found?.size ?? 0 { found = sized }
            } catch { problem = problem ?? error }
        }
        return found
    }

    // MARK: What it answers

    private func look(at link: HTTPFileLink, _ size: UInt64, _ entry: RemoteEntry, _ report: inout OriginReport) async {
        say("asking for parts of a file")
        var ranges = RangeProbes(prober: prober, link: link, size: size, isPage: entry.isPage)
        await ranges.run()
        report.findings.append(Self.way(ranges.replies, link))
        report.findings += ranges.findings
        report.findings += VersionJudge.findings(ranges.replies, listedSize: entry.size)
        say("measuring")
        report.findings += await SpeedProbes(prober: prober, link: link, size: size).run()
    }

    private var root: RemoteEntry { RemoteEntry(name: [], kind: .directory, locator: source.root, cacheKey: "") }

    private func encryption() -> [OriginFinding] {
        guard let link = source.link(of: root), !link.url.origin.isEncrypted, link.access.hasSecrets,
            !NetworkAddress.isLoopback(host: link.url.host)
        else { return [] }
        return [
            .note(
                .connection, "encryption", "none: who listens on the way sees files, fields and tokens",
                effect: "sends a password only when it is asked for, as Digest if the server knows that; prefer https")
        ]
    }

    /// Where the bytes really come from.
    private static func way(_ replies: [ProbeReply], _ link: HTTPFileLink) -> OriginFinding {
        let places = Set(replies.compactMap { $0.head?.url }.filter { $0.text != link.url.text })
        guard !places.isEmpty else { return .ok(.connection, "redirects", "none") }
        let foreign = Set(places.map(\.origin)).subtracting([link.url.origin])
        guard let other = foreign.first else { return .ok(.connection, "redirects", "to another place of the same server") }
        let hosts = foreign.count == 1 ? "\(other)" : "\(other) and \(foreign.count - 1) others"
        return .note(
            .connection, "redirects", "the bytes come from \(hosts)",
            effect: link.access.hasSecrets
                ? "follows, and leaves user, token, fields and cookies behind" : "follows; there are no credentials that could leak")
    }

    /// First, middle and last part, by the code that a mount runs.
    private func read(_ entry: RemoteEntry) async -> OriginFinding {
        let size = entry.size ?? 0
        var pinned: Validator?, isStream = false
        for offset in [0, size / 2, size - min(size, 65536)] {
            let range = FileRange(offset: offset, count: 65536, fileSize: size)
            var attempts = 0
            while true {
                let result = await SampleSink.fetch(FetchRequest(entry: entry, range: range, pinned: pinned), from: source)
                attempts += 1
                guard let error = result.error else {
                    pinned = pinned ?? result.reply?.validator
                    isStream = isStream || result.reply?.isRanged == false
                    break
                }
                if error.isTransient, attempts < 3, !prober.isOver {
                    try? await Task.sleep(for: .seconds(1))
                    continue
                }
                return .bad(.reading, "as reelfs reads it", error.description, effect: "gives this error to who reads", .prevents)
            }
        }
        if isStream {
            return .bad(.reading, "as reelfs reads it", "as one stream from the start", effect: RangeJudge.stream, .limits)
        }
        return .ok(.reading, "as reelfs reads it", "first, middle and last part are accepted")
    }
}

extension HTTPAccess {
    fileprivate var hasSecrets: Bool { credentials != .none || !extraFields.isEmpty || clientCertificate != nil }
}
