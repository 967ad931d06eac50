internal import Bytes
internal import HTTPFiles
internal import OriginReport
internal import SourceAPI
internal import Transport

/// What all replies for one file together say of its version. Pure.
enum VersionJudge {
    static func findings(_ replies: [ProbeReply], listedSize: UInt64?) -> [OriginFinding] {
        let heads = replies.compactMap(\.head).filter { $0.status == 200 || $0.status == 206 }
        guard let first = heads.first else { return [] }
        return [tag(first, heads), stability(heads), length(heads, listedSize)].compactMap { $0 }
    }

    private static func tag(_ first: HTTPResponseHead, _ heads: [HTTPResponseHead]) -> OriginFinding {
        let validator = first.validator
        if heads.contains(where: { Set($0.fields.values(of: "ETag")).count > 1 }) {
            return .note(.versions, "validator", "two entity tags in one reply", effect: "takes the first")
        }
        if validator.strongEntityTag != nil {
            return .ok(.versions, "validator", "strong entity tag" + (validator.modified == nil ? "" : " and time of modification"))
        }
        let weak = validator.entityTag == nil ? "no entity tag" : "a weak entity tag"
        if validator.modified != nil {
            return .ok(.versions, "validator", "\(weak), but a time of modification", effect: "takes time and length for the version")
        }
        let time = first.fields["Last-Modified"] == nil ? "no time of modification" : "a time of modification that cannot be read"
        return .bad(
            .versions, "validator", "\(weak), \(time)", effect: "keeps bytes only while somebody has the file open; the next open fetches again",
            .limits)
    }

    private static func stability(_ heads: [HTTPResponseHead]) -> OriginFinding? {
        guard heads.count > 1, let first = heads.first?.validator else { return nil }
        let tags = Set(heads.map { $0.fields["ETag"] ?? "" }).count, times = Set(heads.map { $0.fields["Last-Modified"] ?? "" }).count
        guard heads.allSatisfy({ first.agrees(with: $0.validator) }) else {
            let what = tags > 1 ? "the entity tag" : "the time of modification"
            return .bad(
                .versions, "stability", "\(what) changes from reply to reply (\(max(tags, times)) in \(heads.count))",
                effect: "takes each for a new version: reads end with “changed” (ESTALE)", .prevents)
        }
        return .ok(.versions, "stability", "the same in \(heads.count) replies")
    }

    private static func length(_ heads: [HTTPResponseHead], _ listed: UInt64?) -> OriginFinding? {
        var lengths: Set<UInt64> = []
        for head in heads {
            if head.status == 200 {
                if let length = head.contentLength { lengths.insert(length) }
            } else if let total = head.fields["Content-Range"].flatMap(ContentRange.init)?.total {
                lengths.insert(total)
            }
        }
        guard let length = lengths.first else {
            return .bad(
                .versions, "length", "no reply tells the file's length", effect: "reads files up to 64 MiB once to learn it; larger ones are errors",
                listed == nil ? .limits : .none)
        }
        if lengths.count > 1 {
            return .bad(
                .versions, "length", "differs from reply to reply: \(lengths.sorted().map(String.init).joined(separator: ", "))",
                effect: "reads end with “changed” (ESTALE)", .prevents)
        }
        if let listed, listed != length {
            return .bad(
                .versions, "length", "the listing tells \(listed) bytes, replies tell \(length)", effect: "reads end with “changed” (ESTALE)",
                .prevents)
        }
        return .ok(.versions, "length", "\(length) bytes, the same in every reply")
    }
}
