internal import FoundationEssentials

/// How requests and replies travel: one JSON value a line, UTF-8, ended by a line feed (JSON has none inside), at most 16 MiB.
package enum ControlMessage {
    /// Raised when an old peer would misunderstand; fields that an old peer may ignore do not raise it.
    package static let version = 1
    /// The longest line, without its line feed. A listing of a cache of 100,000 objects fits.
    package static let maximumLine = 16 << 20

    private struct Envelope: Codable {
        var version: Int
        var request: ControlRequest
    }

    private struct VersionOnly: Codable {
        var version: Int
    }

    /// The line with its line feed.
    /// - Throws: `.invalid` when it is longer than a line may be.
    package static func encode(_ request: ControlRequest) throws(ControlError) -> [UInt8] {
        try line(Envelope(version: version, request: request))
    }

    /// - Throws: `.invalid` when it is longer than a line may be.
    package static func encode(_ reply: ControlReply) throws(ControlError) -> [UInt8] { try line(reply) }

    /// - Throws: `.protocolMismatch` for another version or an unknown request, `.malformed` for what is no message at all.
    package static func decodeRequest(_ line: [UInt8]) throws(ControlError) -> ControlRequest {
        let data = Data(line)
        guard let peer = try? JSONDecoder().decode(VersionOnly.self, from: data) else {
            throw ControlError(.malformed, "not a message of reelfs")
        }
        guard peer.version == version else {
            throw ControlError(.protocolMismatch, "the command speaks version \(peer.version) of the protocol, the daemon version \(version)",
                advice: "stop the daemon with the reelfs that started it, then try again")
        }
        do { return try JSONDecoder().decode(Envelope.self, from: data).request } catch {
            throw ControlError(.protocolMismatch, "the daemon does not know this request",
                advice: "it may be older than the command: reelfs unmount --all, then try again")
        }
    }

    /// - Throws: `.malformed`.
    package static func decodeReply(_ line: [UInt8]) throws(ControlError) -> ControlReply {
        do { return try JSONDecoder().decode(ControlReply.self, from: Data(line)) } catch {
            throw ControlError(.malformed, "the daemon gave an answer that is not understood",
                advice: "it may be of another version: reelfs unmount --all, then try again")
        }
    }

    /// A value as scripts read it (`--json`): keys sorted, indented, `/` not escaped.
    package static func readable(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }

    /// The same on one line.
    package static func compact(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }

    private static func line(_ value: some Encodable) throws(ControlError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding fails for numbers that JSON lacks only; there are none in the messages.
        guard let data = try? encoder.encode(value) else { throw ControlError(.internalFault, "a message could not be written") }
        guard data.count <= maximumLine else { throw ControlError(.invalid, "the message is too long (\(data.count) bytes)") }
        return Array(data) + [UInt8(ascii: "\n")]
    }
}
