import TestSupport

@testable import MP4

/// A file's boxes and samples, found as any caller finds them.
struct ParsedFile {
    var movie: MovieBox
    /// Per track number.
    var samples: [UInt32: [MovieSample]] = [:]
    var fragments = 0
    var indices: [SegmentIndexBox] = []
    var access: RandomAccessBox?
    var order: [FourCC] = []

    init(_ bytes: [UInt8]) throws {
        var movie: MovieBox?
        var place = 0
        var decodeTimes: [UInt32: UInt64] = [:]
        var samples: [UInt32: [MovieSample]] = [:]
        while place < bytes.count {
            let header = try BoxHeader(Array(bytes[place..<min(place + BoxHeader.maximumSize, bytes.count)]), fileOffset: UInt64(place))
            let size = Int(header.size ?? UInt64(bytes.count - place))
            let box = header.type == "mdat" ? [] : Array(bytes[place..<place + size])
            order.append(header.type)
            switch header.type {
            case MovieBox.type:
                let read = try MovieBox(bytes: box, fileOffset: UInt64(place))
                movie = read
                for track in read.tracks {
                    var found = TableSamples(track.media.samples)
                    while let sample = try found.next() { samples[track.header.track, default: []].append(sample) }
                }
            case MovieFragmentBox.type:
                fragments += 1
                let fragment = try MovieFragmentBox(bytes: box, fileOffset: UInt64(place))
                for track in Set(fragment.tracks.map(\.header.track)) {
                    var found = try FragmentSamples(
                        fragment, at: UInt64(place), track: track, extends: movie?.extends?.tracks.first { $0.track == track },
                        decodeTime: decodeTimes[track] ?? 0)
                    while let sample = try found.next() { samples[track, default: []].append(sample) }
                    decodeTimes[track] = found.decodeTime
                }
            case SegmentIndexBox.type: indices.append(try SegmentIndexBox(bytes: box))
            case RandomAccessBox.type: access = try RandomAccessBox(bytes: box)
            default: break
            }
            place += size
        }
        guard let movie else { throw MP4Error(code: .malformed, path: "", offset: 0, detail: "no moov") }
        self.movie = movie
        self.samples = samples
    }

    /// The lines of `Probe.packets` with places, as this file's tables say them.
    var packets: [String] {
        movie.tracks.enumerated().flatMap { index, track in
            (samples[track.header.track] ?? []).map {
                "\(index),\($0.presentationTime),\($0.decodeTime),\($0.size),\($0.offset),\($0.isSync ? "K" : "_")"
            }
        }
    }

    /// A track's samples on the film's timeline: what the edit says is taken off.
    func timed(_ track: TrackBox) -> [TimedSample] {
        let shift = track.edits?.edits.first { $0.mediaTime >= 0 }?.mediaTime ?? 0
        return (samples[track.header.track] ?? []).map {
            TimedSample(
                size: $0.size, decodeTime: Int64($0.decodeTime) - shift, presentationTime: $0.presentationTime - shift, duration: $0.duration,
                isSync: $0.isSync)
        }
    }

    func description(_ track: TrackBox) -> TrackDescription {
        TrackDescription(
            id: track.header.track, kind: track.media.kind == .video ? .video : .sound, timescale: track.media.header.timescale,
            entries: track.media.samples.descriptions.entries, name: track.media.handler.name)
    }
}

/// What ffprobe says of a file.
enum Probe {
    static func run(_ path: String, _ arguments: [String]) async throws -> Command.Result {
        try await Command(["ffprobe", "-v", "error"] + arguments + [path], deadline: 60).check()
    }

    /// Packets in the order of streams: without edits, with their places.
    static func packets(_ path: String) async throws -> [String] {
        let result = try await run(
            path, ["-ignore_editlist", "1", "-show_entries", "packet=stream_index,pts,dts,size,pos,flags", "-of", "csv=p=0"])
        return sorted(fields(result.lines).map { $0.prefix(5) + [String($0[5].prefix(1))] })
    }

    /// Packets with edits applied, and their data; nothing may be said on standard error.
    static func presentation(_ path: String) async throws -> [String] {
        let result = try await run(
            path, ["-show_data_hash", "md5", "-show_entries", "packet=stream_index,pts,dts,size,flags,data_hash", "-of", "csv=p=0"])
        guard result.errors.isEmpty else { return ["said: \(result.errors)"] }
        return sorted(fields(result.lines).map { $0.prefix(4) + [String($0[4].prefix(1)), $0[5]] })
    }

    /// Six fields of each packet. ffprobe breaks the line of a packet with side data, and goes on with a comma.
    private static func fields(_ lines: [String]) -> [[String]] {
        var whole: [String] = []
        for line in lines {
            if line.hasPrefix(","), let last = whole.popLast() { whole.append(last + line) } else { whole.append(line) }
        }
        return whole.map { $0.split(separator: ",").map(String.init) }.filter { $0.count >= 6 }
    }

    /// Stable: packets of a stream keep their order.
    private static func sorted(_ packets: [[String]]) -> [String] {
        packets.enumerated().sorted { ($0.element[0], $0.offset) < ($1.element[0], $1.offset) }.map { $0.element.joined(separator: ",") }
    }
}
