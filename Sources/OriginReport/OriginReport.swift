/// What `reelfs selftest` found out about a server.
package struct OriginReport: Hashable, Sendable, Codable {
    package enum Verdict: String, Hashable, Sendable, Codable { case full, limited, unusable }

    /// The address without anything secret.
    package var address: String
    /// `webdav`, `http` or `list`; `nil`: it was not found out.
    package var type: String?
    package var findings: [OriginFinding] = []
    package var requests = 0
    /// Bytes of bodies that were taken.
    package var bytes: UInt64 = 0
    package var seconds = 0.0

    package init(address: String, type: String? = nil) {
        self.address = address
        self.type = type
    }

    package var verdict: Verdict {
        switch findings.map(\.consequence).max() ?? .none {
        case .none: .full
        case .limits: .limited
        case .prevents: .unusable
        }
    }

    private enum Key: String, CodingKey { case address, type, verdict, findings, requests, bytes, seconds }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(address, forKey: .address)
        try container.encodeIfPresent(type, forKey: .type)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(findings, forKey: .findings)
        try container.encode(requests, forKey: .requests)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(seconds, forKey: .seconds)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        address = try container.decode(String.self, forKey: .address)
        type = try container.decodeIfPresent(String.self, forKey: .type)
        findings = try container.decode([OriginFinding].self, forKey: .findings)
        requests = try container.decode(Int.self, forKey: .requests)
        bytes = try container.decode(UInt64.self, forKey: .bytes)
        seconds = try container.decode(Double.self, forKey: .seconds)
    }

    /// Replaces each of the texts, wherever it stands, by `…`. Texts of fewer than three characters stay: they name nobody.
    package mutating func hide(_ secrets: [String]) {
        let secrets = Set(secrets.filter { $0.count >= 3 }).sorted { $0.count > $1.count }
        for secret in secrets {
            type = type.map { Self.hiding(secret, in: $0) }
            for index in findings.indices {
                findings[index].seen = Self.hiding(secret, in: findings[index].seen)
                findings[index].effect = findings[index].effect.map { Self.hiding(secret, in: $0) }
            }
        }
    }

    private static func hiding(_ secret: String, in text: String) -> String {
        let bytes = Array(text.utf8), pattern = Array(secret.utf8)
        guard bytes.count >= pattern.count else { return text }
        var result: [UInt8] = [], index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: pattern) {
                result += Array("…".utf8)
                index += pattern.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result.count == bytes.count && result == bytes ? text : String(decoding: result, as: UTF8.self)
    }
}
