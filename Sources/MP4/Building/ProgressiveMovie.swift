/// A file with one `moov`: sample tables and descriptions in, its boxes out. The samples stand in one `mdat`, and the tables
/// count their places from its first data byte, so the same tables serve both orders:
///
/// - `moov` last: `start()`, the samples' bytes, `movieBehindData()`, and at last `header(dataSize:)` over the reserved place.
/// - `moov` first (faststart), once all samples are known: `writeHead(dataSize:into:)`, then the samples' bytes.
package struct ProgressiveMovie: Sendable {
    package struct Track: Sendable {
        package var description: TrackDescription
        package var samples: SampleTableBuilder
        /// Ticks at the track's start that are decoded and not presented, such as the pre-skip of Opus whose first sample is
        /// said to be at time 0 or later: what follows them is then heard at that time. What lies before time 0 is not
        /// presented anyway.
        package var skip: UInt32 = 0
        /// Where presentation ends, if earlier than the last sample does: padding of the encoder.
        package var end: Int64?

        package init(_ description: TrackDescription, samples: SampleTableBuilder, skip: UInt32 = 0, end: Int64? = nil) {
            self.description = description
            self.samples = samples
            self.skip = skip
            self.end = end
        }
    }

    package var tracks: [Track]
    /// Of the movie: to its ticks the start of a track is rounded.
    package var timescale: UInt32 = 1000
    package var userData = UserDataBox()
    /// `MovieTime` seconds.
    package var created: UInt64 = 0
    package var fileType = FileTypeBox.progressive

    package init(_ tracks: [Track]) { self.tracks = tracks }

    /// The movie, with chunks that count from the first byte of the samples.
    package func movie() throws(MP4Error) -> MovieBox {
        try TrackDescription.check(tracks.map(\.description), timescale: timescale)
        var boxes: [TrackBox] = []
        for track in tracks {
            let edits = edits(of: track)
            let presented = edits.reduce(0) { $0 &+ $1.duration }
            let table = track.samples.table(track.description.entries, rollDistance: track.description.rollDistance)
            boxes.append(
                track.description.box(
                    duration: presented, mediaDuration: track.samples.mediaDuration, edits: isPlain(edits, track) ? [] : edits, samples: table,
                    created: created))
        }
        let header = MovieHeaderBox(
            timescale: timescale, duration: boxes.map(\.header.duration).max() ?? 0, nextTrack: (tracks.map(\.description.id).max() ?? 0) + 1,
            created: created)
        return MovieBox(header: header, tracks: boxes, userData: userData.isEmpty ? nil : userData)
    }

    /// The pause before a track that starts late, and the part of its media that is presented (ISO/IEC 14496-12 §8.6.6).
    private func edits(of track: Track) -> [EditListBox.Edit] {
        let samples = track.samples, scale = track.description.timescale
        guard samples.count > 0 else { return [] }
        // Sums of times that `append` accepted, near the limits of Int64 only in made-up input: they may wrap, not trap.
        let start = max(samples.earliestPresentation &+ Int64(track.skip), 0)
        let end = max(min(track.end ?? .max, samples.endOfPresentation), start)
        let delay = TickScale.convert(UInt64(max(samples.earliestPresentation, 0)), from: scale, to: timescale)
        var edits = delay > 0 ? [EditListBox.Edit(duration: delay, mediaTime: -1)] : []
        let duration = TickScale.convert(UInt64(max(end &- start, 0)), from: scale, to: timescale)
        edits.append(EditListBox.Edit(duration: duration, mediaTime: max(start &- samples.firstDecodeTime, 0)))
        return edits
    }

    /// Whether playing all media from its start says the same.
    private func isPlain(_ edits: [EditListBox.Edit], _ track: Track) -> Bool {
        edits.isEmpty || (edits.count == 1 && edits[0].mediaTime == 0 && track.end == nil)
    }
}
