/// What WebM, the profile of Matroska for the web, does not allow and a head does (WebM Container Guidelines, "WebM
/// Guidelines"; RFC 9559 names the DocType only). A file with DocType `webm` plays here all the same.
package enum WebMProfile {
    package enum Departure: Hashable, Sendable {
        case docType(String)
        case codec(track: UInt64, String)
        /// Only encryption may be among a track's encodings.
        case compression(track: UInt64)
        case attachments, editions
    }

    static let codecs: Set<String> = [
        "V_VP8", "V_VP9", "V_AV1", "A_VORBIS", "A_OPUS", "D_WEBVTT/SUBTITLES", "D_WEBVTT/CAPTIONS", "D_WEBVTT/DESCRIPTIONS",
        "D_WEBVTT/METADATA",
    ]

    /// Every departure, in the order of the file; empty for a WebM file.
    package static func departures(of head: MatroskaHead) -> [Departure] {
        var found: [Departure] = []
        if !head.ebml.isWebM { found.append(.docType(head.ebml.docType)) }
        for track in head.tracks {
            if !codecs.contains(track.codecID) { found.append(.codec(track: track.number, track.codecID)) }
            let compresses = track.encodings.contains { encoding in
                if case .encryption = encoding.step { false } else { true }
            }
            if compresses { found.append(.compression(track: track.number)) }
        }
        if !head.attachments.isEmpty { found.append(.attachments) }
        if head.editions.contains(where: { $0.isOrdered }) { found.append(.editions) }
        return found
    }
}
