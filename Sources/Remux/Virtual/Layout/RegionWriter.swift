internal import MP4

/// Lays out a region: a `moof` with one `traf` per track that has samples and one `trun` in each, then an `mdat` that fills the
/// rest of the region. Sound and text come first in it, pictures last.
struct RegionWriter: Sendable {
    let tracks: [VirtualTrack]
    /// Nanoseconds of a tick of the source's times.
    let resolution: Int64

    /// A track's samples with their times.
    private struct Part {
        let place: Int
        var samples: [VirtualSample]
        var times: SampleTimes
        /// Only the first keyframe is marked.
        var marksFirstOnly = false

        var bytes: UInt64 { samples.reduce(0) { $0 + $1.size } }

        mutating func dropLast(_ count: Int) {
            samples.removeLast(min(count, samples.count))
            times.durations = Array(times.durations.prefix(samples.count))
            times.offsets = Array(times.offsets.prefix(samples.count))
        }
    }

    /// An upper bound of what a region takes, before its times are known: 32 bytes for `moof` and the header of `mdat`, 96 per
    /// track, and for each sample its size and 20 bytes: durations, sizes, flags and offsets take 16, a gap between subtitles 20.
    static func baseCost(tracks: Int) -> UInt64 { 40 + 96 * UInt64(tracks) }
    static func cost(_ size: UInt64) -> UInt64 { size + 20 }

    /// - Parameters:
    ///   - index: the region's, from 0.
    ///   - capacity: its bytes in the virtual MP4.
    func layout(_ samples: RegionSamples, index: Int, capacity: UInt64) -> (VirtualLayout, RegionFallback) {
        var parts = tracks.indices.compactMap { part($0, samples) }
        var fallback = RegionFallback.nothing
        while true {
            if let layout = write(parts, index: index, capacity: capacity) { return (layout, fallback) }
            guard fallback < .everything else { break }
            fallback = shrink(&parts, after: fallback, index: index, capacity: capacity)
        }
        var empty = VirtualLayout()
        if let header = FreeSpace.header(size: capacity) { empty.append(.literal(header)) }
        empty.pad(to: capacity)
        return (empty, .everything)
    }

    private func part(_ place: Int, _ samples: RegionSamples) -> Part? {
        let own = samples.tracks[place]
        guard !own.isEmpty else { return nil }
        let track = tracks[place]
        switch track.role {
        case .text:
            let (texts, times) = RegionText.samples(own)
            return Part(place: place, samples: texts, times: times)
        case .audio:
            let tolerance = track.clock.ticks(nanoseconds: max(1_000_000, resolution)) + 2
            return Part(
                place: place, samples: own,
                times: RegionAudioTimes.times(own, usual: track.frame, first: track.first, tolerance: tolerance))
        case .video:
            if own.contains(where: { $0.decode != nil }) {
                return Part(place: place, samples: own, times: RegionVideoTimes.stated(own, next: samples.next[place], frame: track.frame))
            }
            let times = RegionVideoTimes.times(
                own.map { $0.time ?? 0 }, ahead: samples.ahead, reorder: track.reorder, delay: track.shift, frame: track.frame)
            return Part(place: place, samples: own, times: times)
        }
    }

    /// The next step that leaves something out.
    private func shrink(_ parts: inout [Part], after fallback: RegionFallback, index: Int, capacity: UInt64) -> RegionFallback {
        switch fallback {
        case .nothing:
            for part in parts.indices { parts[part].marksFirstOnly = true }
            return .keyframeMarks
        case .keyframeMarks:
            parts.removeAll { tracks[$0.place].role == .text }
            return .subtitles
        case .subtitles, .otherSound:
            if let last = parts.lastIndex(where: { tracks[$0.place].role == .audio && !tracks[$0.place].isEnabled }) {
                parts.remove(at: last)
                return .otherSound
            }
            return .otherSound == fallback ? cut(&parts, .audio, .sound, index, capacity) : .otherSound
        case .sound: return cut(&parts, .audio, .sound, index, capacity)
        case .pictures: return cut(&parts, .video, .pictures, index, capacity)
        case .everything: return .everything
        }
    }

    /// Leaves out samples at the end of the tracks of a role, as many as are too much.
    private func cut(
        _ parts: inout [Part], _ role: VirtualTrack.Role, _ step: RegionFallback, _ index: Int, _ capacity: UInt64
    ) -> RegionFallback {
        guard let place = parts.lastIndex(where: { tracks[$0.place].role == role }) else { return role == .audio ? .pictures : .everything }
        let need = fragment(parts, index: index).size + 16 + parts.reduce(0) { $0 + $1.bytes }
        var excess = need > capacity ? need - capacity : 1
        var count = 0
        for sample in parts[place].samples.reversed() {
            count += 1
            let size = sample.size + 4
            if size >= excess { break }
            excess -= size
        }
        parts[place].dropLast(count)
        if parts[place].samples.isEmpty { parts.remove(at: place) }
        return step
    }

    private func fragment(_ parts: [Part], index: Int) -> MovieFragmentBox {
        MovieFragmentBox(sequence: UInt32(clamping: index + 1), tracks: parts.map { box($0, dataOffset: 0) })
    }

    /// `nil` when it does not fit.
    private func write(_ parts: [Part], index: Int, capacity: UInt64) -> VirtualLayout? {
        let data = parts.reduce(UInt64(0)) { $0 + $1.bytes }
        var moof = fragment(parts, index: index)
        let moofSize = moof.size
        guard moofSize + 8 <= capacity else { return nil }
        let header = MediaData.header(size: capacity - moofSize)
        guard moofSize + UInt64(header.count) + data <= capacity, moofSize + data < UInt64(Int32.max) else { return nil }
        let order = parts.indices.filter { tracks[parts[$0].place].role != .video } + parts.indices.filter { tracks[parts[$0].place].role == .video }
        var place = moofSize + UInt64(header.count)
        for part in order {
            moof.tracks[part].runs[0].dataOffset = Int32(clamping: place)
            place += parts[part].bytes
        }
        guard let bytes = try? moof.bytes() else { return nil }
        var layout = VirtualLayout()
        layout.append(.literal(bytes + header))
        for part in order {
            for sample in parts[part].samples { sample.append(to: &layout) }
        }
        layout.pad(to: capacity)
        return layout
    }

    private func box(_ part: Part, dataOffset: Int32) -> TrackFragmentBox {
        let samples = part.samples, times = part.times
        let sizes = samples.map { UInt32(clamping: $0.size) }
        let isOneSize = sizes.allSatisfy { $0 == sizes[0] }
        let isOneDuration = times.durations.allSatisfy { $0 == times.durations[0] }
        let count = samples.count { $0.isSync }
        let isAllSync = count == samples.count
        let startsWithSync = samples.first?.isSync ?? false
        let isFirstOnly = !isAllSync && startsWithSync && (count == 1 || part.marksFirstOnly)
        let isMixed = !isAllSync && count > 0 && !isFirstOnly && !part.marksFirstOnly
        let header = TrackFragmentHeaderBox(
            track: tracks[part.place].id, duration: times.durations.first ?? 0, size: isOneSize ? sizes.first : nil,
            flags: isAllSync ? .sync : .dependent)
        let run = TrackRunBox(
            count: UInt32(clamping: samples.count), dataOffset: dataOffset, firstFlags: isFirstOnly ? .sync : nil,
            durations: isOneDuration ? nil : times.durations, sizes: isOneSize ? nil : sizes,
            flags: isMixed ? samples.map { ($0.isSync ? SampleFlags.sync : .dependent).rawValue } : nil,
            offsets: times.offsets.isEmpty ? nil : times.offsets)
        return TrackFragmentBox(header: header, decodeTime: times.decode, runs: [run])
    }
}
