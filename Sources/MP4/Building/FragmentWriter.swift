/// Makes a fragmented file: one `moof` with one `trun` per track for each fragment, so that an index can name every `moof`.
///
/// The file: `initSegment()`, room for the index (`FragmentIndex.room`) or nothing, then for each fragment `Fragment.header`
/// and the bytes of its samples, part by part in the order given.
package struct FragmentWriter: Sendable {
    package struct Track: Hashable, Sendable {
        package var description: TrackDescription
        /// Added to all times in the file, and taken off again by an edit: decoding times cannot be negative. At least as much
        /// as the first decoding time is below 0; with the pre-skip of Opus added where that is to be skipped.
        package var shift: UInt64
        /// Where presentation ends, in ticks of the track, if known; else with the film.
        package var end: UInt64?
        /// Presentation ends before the last sample does: padding of the encoder.
        package var isTrimmed = false

        package init(_ description: TrackDescription, shift: UInt64 = 0) {
            self.description = description
            self.shift = shift
        }
    }

    /// Samples of one track in a fragment, in decoding order.
    package struct Part: Sendable {
        package var track: UInt32
        package var samples: [TimedSample]

        package init(track: UInt32, samples: [TimedSample]) {
            self.track = track
            self.samples = samples
        }
    }

    package var tracks: [Track]
    package var timescale: UInt32 = 1000
    /// Of the whole film in ticks of `timescale`, if known beforehand.
    package var duration: UInt64?
    package var userData = UserDataBox()
    package var created: UInt64 = 0
    package var fileType = FileTypeBox.fragmented
    /// Of the last fragment; the next has one more.
    package private(set) var sequence: UInt32 = 0

    package init(_ tracks: [Track]) { self.tracks = tracks }

    /// `ftyp` and `moov`.
    package func initSegment() throws(MP4Error) -> [UInt8] {
        try fileType.bytes() + movie().bytes()
    }

    package func movie() throws(MP4Error) -> MovieBox {
        try TrackDescription.check(tracks.map(\.description), timescale: timescale)
        var boxes: [TrackBox] = []
        for (index, track) in tracks.enumerated() {
            guard let shift = Int64(exactly: track.shift) else {
                throw MP4Error(code: .unrepresentable, path: "moov.trak[\(index)].edts.elst.entry[0]", offset: 0, detail: "time \(track.shift)")
            }
            let description = track.description
            let presented = track.end.map { TickScale.convert($0, from: description.timescale, to: timescale) } ?? duration ?? 0
            // A length of 0: all that comes.
            let edits = shift > 0 || track.isTrimmed ? [EditListBox.Edit(duration: track.isTrimmed ? presented : 0, mediaTime: shift)] : []
            boxes.append(
                description.box(
                    duration: presented, mediaDuration: track.end ?? TickScale.convert(presented, from: timescale, to: description.timescale),
                    edits: edits,
                    samples: SampleTableBox(SampleDescriptionBox(description.entries)), created: created))
        }
        return MovieBox(
            header: MovieHeaderBox(
                timescale: timescale, duration: duration ?? 0, nextTrack: (tracks.map(\.description.id).max() ?? 0) + 1, created: created),
            tracks: boxes,
            extends: MovieExtendsBox(duration: duration, tracks: tracks.map { TrackExtendsBox(track: $0.description.id) }),
            userData: userData.isEmpty ? nil : userData)
    }

    /// The next fragment. Parts without samples are left out.
    ///
    /// - Throws: `.unrepresentable` for negative times or differences, times that go back, unknown tracks, a track that is
    ///   there twice, and more than 2 GiB of data. Then the writer is as it was.
    package mutating func fragment(_ parts: [Part]) throws(MP4Error) -> Fragment {
        let (number, overflow) = sequence.addingReportingOverflow(1)
        var pieces: [FragmentPart] = []
        var dataSize: UInt64 = 0
        for part in parts where !part.samples.isEmpty {
            func refused(_ detail: String) -> MP4Error {
                MP4Error(code: .unrepresentable, path: "moof.traf[\(pieces.count)]", offset: 0, detail: detail)
            }
            guard let track = tracks.first(where: { $0.description.id == part.track }) else { throw refused("no track \(part.track)") }
            guard !pieces.contains(where: { $0.track == part.track }) else { throw refused("track \(part.track) twice") }
            let piece = try FragmentPart(part.samples, track: track, index: pieces.count)
            pieces.append(piece)
            dataSize += piece.size
        }
        let path = "moof.traf[\(max(pieces.count - 1, 0))].trun[0]"
        guard !overflow, dataSize < UInt64(Int32.max) else {
            throw MP4Error(code: .unrepresentable, path: path, offset: 0, detail: "\(dataSize) bytes of samples")
        }
        let mediaHeader = MediaData.header(dataSize: dataSize)
        // The size of a moof does not depend on the offsets in it.
        var place = MovieFragmentBox(sequence: number, tracks: pieces.map { $0.box(dataOffset: 0) }).size + UInt64(mediaHeader.count)
        var boxes: [TrackFragmentBox] = []
        for piece in pieces {
            guard let offset = Int32(exactly: place) else {
                throw MP4Error(code: .unrepresentable, path: path, offset: 0, detail: "data offset \(place)")
            }
            boxes.append(piece.box(dataOffset: offset))
            place += piece.size
        }
        let header = try MovieFragmentBox(sequence: number, tracks: boxes).bytes() + mediaHeader
        sequence = number
        return Fragment(header: header, dataSize: dataSize, parts: pieces.map(\.summary))
    }
}
