import Codecs
import TestSupport
import Testing

@testable import MPEGTransport

/// Files of ffmpeg's muxer, against what ffprobe says of them.
@Suite("Real files", .enabled(if: MediaMaker.isAvailable)) struct RealFileTests {
    struct Film: Sendable, CustomTestStringConvertible {
        var name: String
        var video: [String]
        var audio: [String]
        var muxer: [String] = []
        var testDescription: String { name }
    }

    static let films = [
        Film(name: "H.264 and AAC", video: ["libx264", "-bf", "2", "-g", "20"], audio: ["aac"]),
        Film(
            name: "H.264 interlaced, open groups",
            video: [
                "libx264", "-flags", "+ilme+ildct", "-x264-params", "open-gop=1:keyint=10:bframes=2",
            ],
            audio: ["mp2"]),
        Film(
            name: "HEVC and AC-3", video: ["libx265", "-x265-params", "log-level=none:keyint=12"],
            audio: ["ac3"]),
        Film(name: "MPEG-2 and MP2", video: ["mpeg2video", "-bf", "2", "-g", "12"], audio: ["mp2"]),
        Film(name: "MPEG-1 and MP3", video: ["mpeg1video", "-g", "12"], audio: ["libmp3lame"]),
        Film(name: "E-AC-3", video: ["libx264", "-bf", "0"], audio: ["eac3"]),
        Film(name: "DTS", video: ["libx264"], audio: ["dca", "-strict", "-2"]),
        Film(name: "Opus", video: ["libx264"], audio: ["libopus"]),
        Film(name: "LATM", video: ["libx264"], audio: ["aac"], muxer: ["-mpegts_flags", "latm"]),
        Film(
            name: "192 bytes", video: ["libx264", "-g", "10"], audio: ["ac3"],
            muxer: ["-mpegts_m2ts_mode", "1"]),
        Film(
            name: "near the wrap", video: ["libx264", "-bf", "2"], audio: ["aac"],
            muxer: ["-output_ts_offset", "95441.5"]),
        Film(
            name: "time-shifted tables", video: ["libx264"], audio: ["aac"],
            muxer: ["-mpegts_flags", "resend_headers+pat_pmt_at_frames", "-pes_payload_size", "300"]),
    ]

    struct Packet: Hashable, Sendable {
        var pts: Int64
        var dts: Int64
        var size: Int
        var isKey: Bool
        var hash: String
    }

    private func make(_ film: Film, at path: String, seconds: Int = 2) async throws {
        let picture = "testsrc2=size=160x96:rate=25:duration=\(seconds)"
        let sound = "sine=frequency=440:sample_rate=48000:duration=\(seconds)"
        var arguments = [
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound,
        ]
        arguments += ["-pix_fmt", "yuv420p", "-preset", "ultrafast", "-ac", "2", "-c:v"]
        arguments += film.video
        arguments += ["-c:a"]
        arguments += film.audio
        arguments += film.muxer
        arguments += ["-f", "mpegts", path]
        try await Command(arguments, deadline: 60).check()
    }

    /// By stream.
    private func probe(_ path: String) async throws -> [[Packet]] {
        let result = try await Command([
            "ffprobe", "-v", "error", "-show_packets", "-show_data_hash", "adler32", "-show_entries",
            "packet=stream_index,pts,dts,size,flags,data_hash", path,
        ]).check()
        var streams: [[Packet]] = [[], []]
        var fields: [String: String] = [:]
        for line in result.lines {
            guard line == "[/PACKET]" else {
                let pair = line.split(separator: "=", maxSplits: 1)
                if pair.count == 2 { fields[String(pair[0])] = String(pair[1]) }
                continue
            }
            defer { fields = [:] }
            guard let index = fields["stream_index"].flatMap({ Int($0) }), index < 2 else { continue }
            let pts = fields["pts"].flatMap { Int64($0) }
            streams[index].append(
                Packet(
                    pts: pts ?? .min, dts: fields["dts"].flatMap { Int64($0) } ?? pts ?? .min,
                    size: fields["size"].flatMap { Int($0) } ?? 0,
                    isKey: fields["flags"]?.hasPrefix("K") ?? false, hash: fields["data_hash"] ?? ""))
        }
        return streams
    }

    private func adler(_ bytes: [UInt8]) -> String {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        let text = String(high << 16 | low, radix: 16)
        return "adler32:" + String(repeating: "0", count: 8 - text.count) + text
    }

    /// The unit as ffprobe frames it: AAC behind its header; whether the zero between two pictures belongs to the first or the
    /// second one is a matter of taste.
    private func framings(_ unit: TransportUnit, _ track: TransportTrack) -> [[UInt8]] {
        if track.stream.isVideo {
            let rest = Array(unit.bytes.dropFirst())
            return [unit.bytes, unit.bytes + [0], rest, rest + [0]]
        }
        guard case .aac(let configuration)? = track.configuration, track.codec == .aac else {
            return [unit.bytes]
        }
        let size = unit.bytes.count + 7
        let index = AudioSpecificConfig.samplingRates.firstIndex(of: configuration.samplingRate) ?? 0
        let rate = UInt8(index)
        let channels = UInt8(configuration.channels)
        var header: [UInt8] = [0xFF, 0xF1]
        header.append(0x40 | rate << 2 | channels >> 2)
        header.append((channels & 3) << 6 | UInt8(size >> 11))
        header.append(UInt8(size >> 3 & 0xFF))
        header.append(UInt8(size & 7) << 5 | 0x1F)
        header.append(0xFC)
        return [header + unit.bytes]
    }

    @Test("counts, times, keyframes and payloads are ffprobe's", arguments: films)
    func compare(film: Film) async throws {
        let directory = try TemporaryDirectory("ts")
        let path = "\(directory.path)/film.ts"
        try await make(film, at: path)
        let bytes = try FileTree.read(path)
        let expected = try await probe(path)
        let told = try read(bytes)
        #expect(told.damages.isEmpty, "\(told.damages.first)")
        #expect(told.tracks.count == 2)
        for track in told.tracks {
            let units = told.units(track.number)
            let packets = expected[track.number]
            #expect(units.count == packets.count, "\(track.codec)")
            #expect(track.configuration != nil)
            // ffprobe may count from before the wrap.
            let turn = (units.first?.dts ?? 0) - (packets.first?.dts ?? 0)
            #expect(turn % (1 << 33) == 0, "\(track.codec)")
            for (unit, packet) in zip(units, packets) {
                // ffprobe rounds the times of frames that have none of their own.
                let tolerance: Int64 = unit.isTimeDerived ? 2 : 0
                #expect(
                    abs(unit.pts - turn - packet.pts) <= tolerance
                        && abs(unit.dts - turn - packet.dts) <= tolerance, "\(track.codec) at \(unit.pts)")
                #expect(unit.isKeyframe == packet.isKey, "\(track.codec) at \(unit.pts)")
                if track.codec != .latm {
                    #expect(
                        framings(unit, track).contains { adler($0) == packet.hash },
                        "\(track.codec) at \(unit.pts): \(packet.size) bytes")
                }
            }
        }
        // Windows: from any packet on the same units follow.
        for offset in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 40)) {
            let (events, _) = walk(TransportWalker(told.head, at: UInt64(offset)), bytes, piece: 10_000)
            let units = events.compactMap { if case .unit(let unit) = $0 { unit } else { nil } }
            for track in told.tracks {
                let isSame =
                    units.filter { $0.track == track.number }
                    == told.units(track.number).filter { $0.pesOffset >= offset }
                #expect(isSame, "\(track.codec) from \(offset)")
            }
        }
    }

    @Test("joined files: both parts whole, sound and picture moved by the same step")
    func joined() async throws {
        let directory = try TemporaryDirectory("ts")
        var all: [UInt8] = []
        var parts: [[[Packet]]] = []
        for part in 0..<2 {
            let path = "\(directory.path)/\(part).ts"
            try await make(Self.films[0], at: path, seconds: 2 + part)
            all += try FileTree.read(path)
            parts.append(try await probe(path))
        }
        let told = try read(all)
        #expect(told.jumps == 1)
        var steps: [Set<Int64>] = [[], []]
        for track in 0..<2 {
            let units = told.units(track)
            #expect(units.count == parts[0][track].count + parts[1][track].count)
            for (number, unit) in units.enumerated() where !unit.isTimeDerived {
                let first = parts[0][track].count
                let packet = number < first ? parts[0][track][number] : parts[1][track][number - first]
                steps[number < first ? 0 : 1].insert(unit.pts - packet.pts)
            }
        }
        #expect(steps[0] == [0] && steps[1].count == 1)
    }
}
