import Bytes
import MP4

/// Takes a whole MP4 apart, for the tests.
struct MovieReader {
    struct Fragment {
        var offset: UInt64
        var moof: MovieFragmentBox
        /// Of the `mdat` behind it, header included.
        var data: Range<UInt64>
    }

    struct Sample: Hashable {
        var bytes: [UInt8]
        /// In ticks of the track, edits taken back.
        var shown: Int64
        var decoded: Int64
        var isSync: Bool
        var duration: UInt32
        var fragment: Int
    }

    var order: [String] = []
    var movie: MovieBox?
    var indices: [(box: SegmentIndexBox, end: UInt64)] = []
    var fragments: [Fragment] = []
    /// By track number, in the file's order.
    var samples: [UInt32: [Sample]] = [:]

    init(_ file: [UInt8]) throws {
        var offset = 0
        while offset + 8 <= file.count {
            let size = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: file[offset + 4..<offset + 8], as: UTF8.self)
            guard size >= 8, offset + size <= file.count else { break }
            order.append(type)
            let body = Array(file[offset..<offset + (type == "mdat" || type == "free" ? 8 : size)])
            switch type {
            case "moov": movie = try MovieBox(bytes: body)
            case "sidx": indices.append((try SegmentIndexBox(bytes: body), UInt64(offset + size)))
            case "moof": fragments.append(Fragment(offset: UInt64(offset), moof: try MovieFragmentBox(bytes: body), data: 0..<0))
            case "mdat": fragments[fragments.count - 1].data = UInt64(offset)..<UInt64(offset + size)
            default: break
            }
            offset += size
        }
        if offset != file.count { order.append("rest") }
        for (number, fragment) in fragments.enumerated() {
            for part in fragment.moof.tracks {
                let track = part.header.track
                var list = try FragmentSamples(fragment.moof, at: fragment.offset, track: track, extends: nil)
                while let sample = try list.next() {
                    samples[track, default: []].append(
                        Sample(
                            bytes: Array(file[Int(sample.offset)..<Int(sample.offset) + Int(sample.size)]),
                            shown: sample.presentationTime - edit(track), decoded: Int64(sample.decodeTime), isSync: sample.isSync,
                            duration: sample.duration, fragment: number))
                }
            }
        }
    }

    func edit(_ track: UInt32) -> Int64 { movie?.tracks.first { $0.header.track == track }?.edits?.edits.first?.mediaTime ?? 0 }

    func timescale(_ track: UInt32) -> Int64 { Int64(movie?.tracks.first { $0.header.track == track }?.media.header.timescale ?? 1) }

    /// Whether everything holds that every virtual MP4 promises; else what does not.
    func faults(fileSize: UInt64) -> [String] {
        var result: [String] = []
        let expected = ["ftyp", "moov", "free"] + Array(repeating: "sidx", count: movie?.tracks.count ?? 0)
        if Array(order.prefix(expected.count)) != expected { result.append("it begins with \(order.prefix(expected.count))") }
        let rest = fragments.flatMap { _ in ["moof", "mdat"] } + ["free"]
        if Array(order.dropFirst(expected.count)) != rest { result.append("boxes behind the index") }
        let starts = fragments.map(\.offset) + [fileSize]
        for (box, end) in indices {
            if end + box.firstOffset != starts[0] { result.append("index of track \(box.track) leads to \(end + box.firstOffset)") }
            if box.references.map({ UInt64($0.size) }) != zip(starts.dropFirst(), starts).map({ $0 - $1 }) {
                result.append("index of track \(box.track) does not name the fragments")
            }
        }
        for (number, fragment) in fragments.enumerated() {
            if fragment.moof.sequence != UInt32(number + 1) { result.append("sequence number \(fragment.moof.sequence)") }
            if fragment.moof.tracks.contains(where: { $0.runs.count != 1 }) { result.append("several runs in fragment \(number)") }
            for part in fragment.moof.tracks {
                let run = part.runs[0], first = fragment.offset + UInt64(max(0, run.dataOffset ?? 0))
                let size = run.sizes.map { $0.reduce(0) { $0 + UInt64($1) } } ?? UInt64(run.count) * UInt64(part.header.size ?? 0)
                if first < fragment.data.lowerBound + 8 || first + size > fragment.data.upperBound { result.append("data outside of mdat \(number)") }
                if run.offsets?.contains(where: { $0 < 0 }) ?? false { result.append("a negative offset in fragment \(number)") }
            }
        }
        for (track, list) in samples {
            if zip(list, list.dropFirst()).contains(where: { $0.decoded > $1.decoded }) { result.append("track \(track) decodes backwards") }
        }
        return result
    }
}
