/// Collects where fragments are, and makes the `sidx` boxes in front of them or the `mfra` behind them.
///
/// One `sidx` stands there for each track: ffmpeg finds the tracks without one by guessing. Nothing stands between the
/// last and the first `moof`: Chromium then reads every `moof`.
package struct FragmentIndex: Sendable {
    private struct Entry {
        var size: UInt64
        var parts: [Fragment.Part]

        /// This one and the one behind it, as one.
        mutating func take(_ next: Entry) {
            size &+= next.size
            for part in next.parts {
                if let place = parts.firstIndex(where: { $0.track == part.track }) {
                    parts[place] = parts[place].followed(by: part)
                } else {
                    parts.append(part)
                }
            }
        }
    }

    private var tracks: [TrackDescription]
    private var entries: [Entry] = []

    package init(_ tracks: [FragmentWriter.Track]) { self.tracks = tracks.map(\.description) }

    /// Leaves out tracks that are not in the movie after all.
    package mutating func keep(_ tracks: [FragmentWriter.Track]) { self.tracks = tracks.map(\.description) }

    package var count: Int { entries.count }

    /// The next fragment in the file, directly behind the one before.
    package mutating func append(_ fragment: Fragment) { entries.append(Entry(size: fragment.size, parts: fragment.parts)) }

    /// Bytes to leave free behind the init segment for an index of up to `fragments` fragments.
    package static func room(tracks: Int, fragments: Int) -> UInt64 {
        UInt64(max(tracks, 0)) * SegmentIndexBox.size(references: min(max(fragments, 0), SegmentIndexBox.maximumReferences)) + FreeSpace.minimum
    }

    /// Where the presentation of a track ends, in its ticks; `nil` without a sample of it.
    package func end(of track: UInt32) -> Int64? {
        entries.reduce(nil) { end, entry in
            guard let part = entry.parts.first(where: { $0.track == track }) else { return end }
            return max(end ?? .min, part.end)
        }
    }

    /// How many references each box can have in `room` bytes.
    private func references(filling room: UInt64) -> Int {
        let most = room / UInt64(max(tracks.count, 1))
        let fixed = SegmentIndexBox.size(references: 0), each = SegmentIndexBox.size(references: 1) - fixed
        return most < fixed ? 0 : min(Int(clamping: (most - fixed) / each), SegmentIndexBox.maximumReferences)
    }

    /// The index, with a `free` box before it, in exactly the `room` bytes left for it. Where there are more fragments than
    /// it has room for, a reference leads to several of them.
    ///
    /// - Parameter trailing: bytes behind the last fragment, such as an `mfra`: the last reference covers them, since ffmpeg
    ///   trusts an index that ends where the file does.
    /// - Throws: `.unrepresentable` if not even one reference fits, or one fragment is too large. Then a `free` box can fill
    ///   the room.
    package func bytes(filling room: UInt64, trailing: UInt64 = 0) throws(MP4Error) -> [UInt8] {
        var boxes: [UInt8] = []
        // The `free` box cannot be smaller than its header.
        let most = max(references(filling: room < FreeSpace.minimum ? 0 : room - FreeSpace.minimum), 1)
        for box in try self.boxes(trailing: trailing, references: most) { boxes += try box.bytes() }
        guard let room = Int(exactly: room), room >= boxes.count, let free = room == boxes.count ? [] : FreeSpace.bytes(size: room - boxes.count)
        else {
            throw MP4Error(code: .unrepresentable, path: "sidx", offset: 0, detail: "\(boxes.count) bytes do not fit \(room)")
        }
        return free + boxes
    }

    /// As many fragments taken together as leave at most `count` entries.
    private func entries(atMost count: Int) -> [Entry] {
        guard entries.count > count, count > 0 else { return entries }
        let step = (entries.count + count - 1) / count
        return stride(from: 0, to: entries.count, by: step).map { start in
            var entry = entries[start]
            for next in entries[(start + 1)..<min(start + step, entries.count)] { entry.take(next) }
            return entry
        }
    }

    /// The `sidx` boxes in their order: pictures first.
    ///
    /// - Parameter most: references in each.
    package func boxes(trailing: UInt64 = 0, references most: Int = .max) throws(MP4Error) -> [SegmentIndexBox] {
        let entries = entries(atMost: most)
        let ordered = tracks.filter { $0.kind == .video } + tracks.filter { $0.kind != .video }
        var boxes: [SegmentIndexBox] = []
        for (index, track) in ordered.enumerated() {
            let times = Self.times(entries, of: track, behind: ordered.first.flatMap { $0.kind == .video && index > 0 ? $0 : nil })
            var references: [SegmentIndexBox.Reference] = []
            for (entry, fragment) in entries.enumerated() {
                let (size, overflow) = fragment.size.addingReportingOverflow(entry + 1 == entries.count ? trailing : 0)
                guard !overflow, size >> 31 == 0, let duration = UInt32(exactly: times[entry + 1] - times[entry]) else {
                    throw MP4Error(
                        code: .unrepresentable, path: "sidx[\(index)].entry[\(entry)]", offset: 0,
                        detail: "\(size) bytes, times \(times[entry]) to \(times[entry + 1])")
                }
                let isSync = fragment.parts.first { $0.track == track.id }?.startsWithSync ?? false
                references.append(.init(size: UInt32(size), duration: duration, access: isSync ? SegmentIndexBox.Reference.startsWithSync : 0))
            }
            let behind = UInt64(ordered.count - index - 1) * SegmentIndexBox.size(references: entries.count)
            boxes.append(
                SegmentIndexBox(
                    track: track.id, timescale: track.timescale, earliestPresentation: times[0], firstOffset: behind, references: references))
        }
        return boxes
    }

    /// Start of each fragment and end of the last, never going back and never negative.
    ///
    /// - Parameter main: the pictures, for other tracks. ffmpeg looks for sound at the decoding time of the picture it found,
    ///   which is before its presentation: if the index says that the sound of that fragment begins then, it takes whatever older sample it
    ///   has. Said to begin 20 ms after the picture, the fragment before is read as well, which has it.
    private static func times(_ entries: [Entry], of track: TrackDescription, behind main: TrackDescription?) -> [UInt64] {
        var times: [UInt64] = []
        var running: UInt64 = 0
        for (index, entry) in entries.enumerated() {
            let own = entry.parts.first { $0.track == track.id }
            var time = UInt64(clamping: own?.earliest ?? Int64(clamping: running))
            if index > 0, let main {
                if let picture = entry.parts.first(where: { $0.track == main.id }) {
                    time = max(time, TickScale.convert(UInt64(clamping: picture.earliest), from: main.timescale, to: track.timescale))
                }
                time = time.addingReportingOverflow(UInt64(track.timescale) / 50).partialValue
            }
            time = max(time, times.last ?? 0)
            times.append(time)
            running = max(time, UInt64(clamping: own?.end ?? 0))
        }
        times.append(max(times.last ?? 0, entries.reduce(0) { max($0, lastEnd($1, of: track)) }))
        return times
    }

    private static func lastEnd(_ entry: Entry, of track: TrackDescription) -> UInt64 {
        UInt64(clamping: entry.parts.first { $0.track == track.id }?.end ?? 0)
    }

    /// The sync samples that begin or first stand in the fragments, for the end of the file.
    ///
    /// - Parameter start: of the first `moof`, in the file.
    package func randomAccess(firstFragmentAt start: UInt64) -> RandomAccessBox {
        var tables = tracks.map { TrackRandomAccessBox(track: $0.id, []) }
        var place = start
        for entry in entries {
            for (index, part) in entry.parts.enumerated() {
                guard let sync = part.firstSync, let table = tables.firstIndex(where: { $0.track == part.track }) else { continue }
                tables[table].entries.append(
                    .init(time: UInt64(clamping: sync.time), offset: place, fragment: UInt32(index + 1), run: 1, sample: sync.sample))
            }
            place &+= entry.size
        }
        return RandomAccessBox(tables)
    }
}
