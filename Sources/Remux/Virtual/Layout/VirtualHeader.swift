internal import MP4

/// What stands before the first region: `ftyp`, `moov`, a `free` box, and one `sidx` per track that ends where the first
/// region begins.
struct VirtualHeader: Sendable {
    /// Tracks that are written; fewer than were given when they have no room, the last subtitles first.
    private(set) var tracks: [VirtualTrack]
    private var writer: FragmentWriter

    /// Default-base-is-moof needs `iso5`, several indices `iso6`.
    private static let fileType = FileTypeBox(major: "iso6", minor: 0x200, compatible: ["iso6", "iso5", "isom", "mp41", "dash"])

    /// - Parameter duration: nanoseconds of the film.
    /// - Returns: `nil` when not even picture and sound have room.
    init?(_ tracks: [VirtualTrack], description: MovieDescription?, duration: UInt64) {
        var kept = tracks
        var userData = description?.userData ?? UserDataBox()
        while true {
            writer = FragmentWriter(kept.map { FragmentWriter.Track($0.movie.description, shift: UInt64(max(0, $0.shift))) })
            writer.fileType = Self.fileType
            writer.duration = duration / 1_000_000
            writer.created = description?.created ?? 0
            writer.userData = userData
            self.tracks = kept
            if let head = try? writer.initSegment(), UInt64(head.count) + FreeSpace.minimum <= VirtualSize.movieBytes { return }
            if !userData.isEmpty {
                userData = UserDataBox()
            } else if let text = kept.lastIndex(where: { $0.role == .text }) {
                kept.remove(at: text)
            } else if let sound = kept.lastIndex(where: { $0.role == .audio && !$0.isEnabled }) {
                kept.remove(at: sound)
            } else {
                return nil
            }
        }
    }

    /// References that each track's index may have.
    static func maximumRegions(tracks: Int) -> Int {
        let room = VirtualSize.header - VirtualSize.movieBytes
        let headers = SegmentIndexBox.size(references: 0) * UInt64(max(1, tracks))
        guard room > headers else { return 1 }
        return min(SegmentIndexBox.maximumReferences, max(1, Int((room - headers) / (12 * UInt64(max(1, tracks))))))
    }

    /// - Parameters:
    ///   - starts: nanoseconds at which each region begins, one more for the end, for each track of `tracks`.
    ///   - isAccess: whether decoding can begin at the region's first picture.
    func layout(_ table: RegionTable, starts: [[Int64]], isAccess: (Int, VirtualTrack) -> Bool) throws(MP4Error) -> VirtualLayout {
        let indexSize = SegmentIndexBox.size(references: table.count)
        var indices: [UInt8] = []
        for (place, track) in tracks.enumerated() {
            let ticks = starts[place].map { max(0, track.clock.ticks(nanoseconds: $0)) }
            var references: [SegmentIndexBox.Reference] = []
            references.reserveCapacity(table.count)
            for index in 0..<table.count {
                var range = table.place(index)
                // The references end where the file does: players take them for whole only then.
                if index + 1 == table.count { range = range.lowerBound..<table.size.total }
                references.append(
                    SegmentIndexBox.Reference(
                        size: UInt32(clamping: range.count), duration: UInt32(clamping: max(0, ticks[index + 1] - ticks[index])),
                        access: isAccess(index, track) ? SegmentIndexBox.Reference.startsWithSync : 0))
            }
            let box = SegmentIndexBox(
                track: track.id, timescale: track.clock.rate, earliestPresentation: UInt64(ticks.first ?? 0),
                firstOffset: UInt64(tracks.count - 1 - place) * indexSize, references: references)
            indices += try box.bytes()
        }
        let head = try writer.initSegment()
        var layout = VirtualLayout()
        let rest = table.start - UInt64(head.count) - UInt64(indices.count)
        layout.append(.literal(head + (FreeSpace.header(size: rest) ?? [])))
        layout.pad(to: table.start - UInt64(indices.count))
        layout.append(.literal(indices))
        return layout
    }

    static let tail: VirtualLayout = {
        var layout = VirtualLayout()
        if let header = FreeSpace.header(size: VirtualSize.tail) { layout.append(.literal(header)) }
        layout.pad(to: VirtualSize.tail)
        return layout
    }()
}
