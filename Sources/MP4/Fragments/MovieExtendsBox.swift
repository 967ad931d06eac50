/// `mvex` (ISO/IEC 14496-12 §8.8.1) with `mehd`: the movie goes on in fragments.
package struct MovieExtendsBox: Box, Hashable {
    package static let type: FourCC = "mvex"

    /// `mehd` (§8.8.2): of the whole movie, in ticks of the movie's timescale. `nil` if unknown.
    package var duration: UInt64?
    package var tracks: [TrackExtendsBox]

    package init(duration: UInt64?, tracks: [TrackExtendsBox]) {
        self.duration = duration
        self.tracks = tracks
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        tracks = []
        while var box = try reader.child() {
            switch box.type {
            case "mehd":
                let isLong = try box.versionAndFlags().version == 1
                duration = try box.time(isLong: isLong)
            case TrackExtendsBox.type:
                guard tracks.count < MovieBox.maximumTracks else { throw box.error(.unsupported, "more than \(MovieBox.maximumTracks) tracks") }
                tracks.append(try TrackExtendsBox(from: &box))
            default: break
            }
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            if let duration { writer.fullBox("mehd", version: 1) { $0.u64(duration) } }
            for track in tracks { track.write(to: &writer) }
        }
    }
}
