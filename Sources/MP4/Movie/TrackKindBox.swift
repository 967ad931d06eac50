/// `kind` (ISO/IEC 14496-12 §8.10.4): the role of a track, as DASH names it (`urn:mpeg:dash:role:2011`, `caption`).
package struct TrackKindBox: Box, Hashable {
    package static let type: FourCC = "kind"

    package var scheme: String
    package var value: String

    package init(scheme: String = "urn:mpeg:dash:role:2011", value: String) {
        self.scheme = scheme
        self.value = value
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        _ = try reader.versionAndFlags()
        let parts = reader.rest().split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2 else { throw reader.error(.malformed, "no value") }
        scheme = String(decoding: parts[0], as: UTF8.self)
        value = String(decoding: parts[1], as: UTF8.self)
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.text(scheme)
            writer.text(value)
        }
    }
}
