/// The samples of one track in one `moof`, one after the other.
///
/// Every step is constant work, but a run of a few bytes can announce 2³² samples: who reads a file that came from outside
/// compares `count` with what the file can hold.
package struct FragmentSamples: Sendable {
    private struct Place {
        var run: TrackRunBox
        var header: TrackFragmentHeaderBox
        var start: UInt64
        var decodeTime: UInt64?
    }

    private let extends: TrackExtendsBox
    private var places: [Place] = []
    private var placeIndex = 0, index = 0
    private var place: UInt64 = 0
    /// Decoding time of the next sample: behind the last one, that of the track's next fragment if it does not state its own.
    package private(set) var decodeTime: UInt64

    /// - Parameters:
    ///   - offset: of the `moof`, in the file.
    ///   - extends: the track's `trex`.
    ///   - decodeTime: where the fragment before ended, for fragments without `tfdt`.
    package init(_ fragment: MovieFragmentBox, at offset: UInt64, track: UInt32, extends: TrackExtendsBox?, decodeTime: UInt64 = 0) throws(MP4Error) {
        self.extends = extends ?? TrackExtendsBox(track: track)
        self.decodeTime = decodeTime
        // Without a stated base, data follows that of the traf before (§8.8.7).
        var end = offset
        for (index, traf) in fragment.tracks.enumerated() {
            let header = traf.header
            let base = header.baseOffset ?? (header.isBasedOnFragment ? offset : end)
            end = base
            for (number, run) in traf.runs.enumerated() {
                func fault() -> MP4Error {
                    MP4Error(code: .malformed, path: "moof.traf[\(index)].trun[\(number)]", offset: offset, detail: "data beyond 64 bits")
                }
                var start = end
                if let distance = run.dataOffset {
                    let sum =
                        distance < 0 ? base.subtractingReportingOverflow(UInt64(distance.magnitude)) : base.addingReportingOverflow(UInt64(distance))
                    guard !sum.overflow else { throw fault() }
                    start = sum.partialValue
                }
                // Defaults of another track's trex are not known here: a track without sizes of its own is ours or states them in tfhd.
                let size = Self.bytes(run, each: header.size ?? (header.track == track ? self.extends.size : 0))
                let sum = start.addingReportingOverflow(size)
                guard !sum.overflow else { throw fault() }
                end = sum.partialValue
                if header.track == track {
                    places.append(Place(run: run, header: header, start: start, decodeTime: number == 0 ? traf.decodeTime : nil))
                }
            }
        }
        enter()
    }

    private static func bytes(_ run: TrackRunBox, each: UInt32) -> UInt64 {
        guard let sizes = run.sizes else { return UInt64(run.count) * UInt64(each) }
        return sizes.reduce(0) { $0 + UInt64($1) }
    }

    package var count: UInt64 { places.reduce(0) { $0 + UInt64($1.run.count) } }

    private mutating func enter() {
        index = 0
        guard placeIndex < places.count else { return }
        place = places[placeIndex].start
        decodeTime = places[placeIndex].decodeTime ?? decodeTime
    }

    /// - Returns: `nil` behind the last sample.
    package mutating func next() throws(MP4Error) -> MovieSample? {
        while placeIndex < places.count, index >= Int(places[placeIndex].run.count) {
            placeIndex += 1
            enter()
        }
        guard placeIndex < places.count else { return nil }
        let run = places[placeIndex].run, header = places[placeIndex].header
        var flags = run.flags.map { SampleFlags(rawValue: $0[index]) } ?? header.flags ?? extends.flags
        if index == 0, let first = run.firstFlags { flags = first }
        let sample = MovieSample(
            offset: place, size: run.sizes?[index] ?? header.size ?? extends.size, decodeTime: decodeTime,
            duration: run.durations?[index] ?? header.duration ?? extends.duration, compositionOffset: run.offsets?[index] ?? 0,
            isSync: flags.isSync, description: header.description ?? extends.description)
        let (end, overflow) = decodeTime.addingReportingOverflow(UInt64(sample.duration))
        guard !overflow else { throw MP4Error(code: .malformed, path: "moof.traf", offset: place, detail: "time beyond 64 bits") }
        decodeTime = end
        place += UInt64(sample.size)  // within the sum checked above
        index += 1
        return sample
    }
}
