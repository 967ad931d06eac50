internal import Configuration
internal import ControlProtocol
internal import SourceAPI

/// Asks sources whether they answer, for `doctor`: each lists its root, all at once.
struct SourceChecks: Sendable {
    let registry: SourceRegistry

    /// - Parameter names: these sources; empty: all configured ones.
    func run(_ names: [SourceName]) async throws(ControlError) -> [Finding] {
        var chosen = registry.configured
        if !names.isEmpty {
            for name in names where registry.configured(name) == nil {
                throw ControlError(.notFound, "there is no source \(name.text)", advice: "see: reelfs list")
            }
            chosen = chosen.filter { names.contains($0.configured.name) }
        }
        var findings = registry.problems.map { Finding($0.isFault ? .fault : .note, "configuration", $0.description, advice: nil) }
        findings += await withTaskGroup(of: Finding.self) { group in
            for active in chosen { group.addTask { await check(active) } }
            var found: [Finding] = []
            for await finding in group { found.append(finding) }
            return found.sorted { $0.subject < $1.subject }
        }
        return findings
    }

    private func check(_ active: ActiveSource) async -> Finding {
        let subject = "source \(active.name)"
        do throws(SourceError) {
            let listing = try await active.origin.list(active.origin.root)
            return Finding(.good, subject, "\(active.origin.kind) at \(active.origin.publicAddress) answers: \(listing.entries.count) entries")
        } catch {
            return Finding(.fault, subject, error.detail, advice: error.advice)
        }
    }
}
