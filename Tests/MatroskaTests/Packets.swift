import Bytes
import TestSupport

@testable import Matroska

/// A frame as its codec gets it.
struct Packet: Hashable, CustomStringConvertible {
    /// Nanoseconds; `nil` for the frames behind the first of a lace, whose times no file says.
    var time: Int64?
    var size: Int
    var isKeyframe: Bool
    var checksum: UInt32

    var description: String { "\(time.map { "\($0) ns" } ?? "–") \(size) bytes\(isKeyframe ? " key" : "") \(String(checksum, radix: 16))" }
}

/// Every packet of a file by track, read here: head and walk, sequentially.
func packets(of bytes: [UInt8], _ feeding: Feeding = .whole) throws -> (head: MatroskaHead, tracks: [[Packet]], damages: [MatroskaDamage]) {
    let head = try readHead(bytes, feeding)
    let decoders = head.tracks.map { FrameDecoder($0) }
    let walker = ClusterWalker(at: head.firstCluster ?? 0, end: head.segment.end, tracks: head.trackNumbers)
    let steps = try walk(walker, bytes, feeding)
    var tracks = [[Packet]](repeating: [], count: head.tracks.count)
    for block in steps.blocks {
        guard let index = head.tracks.firstIndex(where: { $0.number == block.track }) else { continue }
        for (number, place) in block.frames.enumerated() {
            let frame = try decoders[index].frame(bytes[Int(place.offset)..<Int(place.end)], at: place.offset)
            let time = number == 0 ? head.info.nanoseconds(block.timestamp) : nil
            tracks[index].append(Packet(time: time, size: frame.count, isKeyframe: block.isKeyframe, checksum: CRC32.of(frame)))
        }
    }
    return (head, tracks, head.damages + steps.damages)
}

/// Every packet of a file by stream, as ffprobe tells. It takes CodecDelay off the times.
func probedPackets(of path: String) async throws -> [[Packet]] {
    let result = try await Command([
        "ffprobe", "-v", "error", "-show_packets", "-show_data_hash", "crc32", "-of", "default", "-show_entries",
        "packet=stream_index,pts_time,size,flags,data_hash", path,
    ]).check()
    var streams: [[Packet]] = []
    var fields: [Substring: Substring] = [:]
    for line in result.lines {
        let parts = line.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { fields[parts[0]] = parts[1] }
        guard line == "[/PACKET]" else { continue }
        guard let stream = fields["stream_index"].flatMap({ Int($0) }), let size = fields["size"].flatMap({ Int($0) }),
            let hash = fields["data_hash"].flatMap({ UInt32($0.dropFirst("CRC32:".count), radix: 16) })
        else { throw TestSupportError("not a packet: \(fields)") }
        while streams.count <= stream { streams.append([]) }
        let time = fields["pts_time"].flatMap { Double($0) }.map { Int64(($0 * 1_000_000_000).rounded()) }
        streams[stream].append(Packet(time: time, size: size, isKeyframe: fields["flags"]?.contains("K") ?? false, checksum: hash))
        fields = [:]
    }
    return streams
}
