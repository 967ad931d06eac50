/// Writes a Matroska file for the tests of virtual MP4s: a VP8 track without B pictures, a track of AAC, one of SubRip.
struct FilmWriter {
    struct Frame: Hashable {
        var track: UInt8
        /// Milliseconds.
        var time: Int
        var isKey: Bool
        var bytes: [UInt8]
    }

    /// Frames in the file's order.
    var frames: [Frame] = []
    /// Milliseconds of a Cluster, and bytes.
    var clusterTime = 5000, clusterBytes = 5_000_000
    var hasCues = true, hasRelativePositions = true, statesDuration = true
    /// Changes the Clusters' places that the cues tell, by the number of the cue.
    var misleads: (Int, Int) -> Int = { _, place in place }
    /// Bytes that are put in front of each Cluster.
    var garbage: [UInt8] = []

    static func element(_ id: [UInt8], _ data: [UInt8]) -> [UInt8] { id + size(data.count) + data }

    private static func size(_ count: Int) -> [UInt8] {
        [0x10 | UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
    }

    static func number(_ id: [UInt8], _ value: Int) -> [UInt8] {
        element(id, (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) })
    }

    private static func float(_ id: [UInt8], _ value: Double) -> [UInt8] {
        element(id, (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(56 - 8 * $0)) })
    }

    private static func track(_ number: Int, _ kind: Int, _ codec: String, _ rest: [UInt8]) -> [UInt8] {
        element([0xAE], Self.number([0xD7], number) + Self.number([0x83], kind) + element([0x86], Array(codec.utf8)) + rest)
    }

    /// The whole file.
    func bytes() -> [UInt8] {
        let header = Self.element([0x1A, 0x45, 0xDF, 0xA3], Self.element([0x42, 0x82], Array("matroska".utf8)))
        var info = Self.number([0x2A, 0xD7, 0xB1], 1_000_000)
        let end = (frames.map(\.time).max() ?? 0) + 40
        if statesDuration { info += Self.float([0x44, 0x89], Double(end)) }
        let video = Self.track(
            1, 1, "V_VP8", Self.number([0x23, 0xE3, 0x83], 40_000_000) + Self.element([0xE0], Self.number([0xB0], 320) + Self.number([0xBA], 180)))
        let audio = Self.track(
            2, 2, "A_AAC", Self.element([0x63, 0xA2], [0x11, 0x90]) + Self.element([0xE1], Self.float([0xB5], 48000) + Self.number([0x9F], 2)))
        let text = Self.track(3, 17, "S_TEXT/UTF8", [])
        let used = Set(frames.map(\.track))
        let tracks = (used.contains(1) ? video : []) + (used.contains(2) ? audio : []) + (used.contains(3) ? text : [])
        let front = Self.element([0x15, 0x49, 0xA9, 0x66], info) + Self.element([0x16, 0x54, 0xAE, 0x6B], tracks)
        // The SeekHead has a fixed size: its place of the Cues is put in at the end.
        let seekSize = seekHead(0).count
        var body = [UInt8](repeating: 0, count: hasCues ? seekSize : 0) + front
        let cues = append(to: &body)
        if hasCues {
            body.replaceSubrange(0..<seekSize, with: seekHead(body.count))
            body += Self.element([0x1C, 0x53, 0xBB, 0x6B], cues)
        }
        return header + Self.element([0x18, 0x53, 0x80, 0x67], body)
    }

    private func seekHead(_ place: Int) -> [UInt8] {
        Self.element(
            [0x11, 0x4D, 0x9B, 0x74],
            Self.element([0x4D, 0xBB], Self.element([0x53, 0xAB], [0x1C, 0x53, 0xBB, 0x6B]) + Self.number([0x53, 0xAC], place)))
    }

    /// The Clusters.
    /// - Returns: the cues.
    private func append(to body: inout [UInt8]) -> [UInt8] {
        var cues: [UInt8] = []
        var next = 0, count = 0
        while next < frames.count {
            let start = frames[next].time
            var cluster = Self.number([0xE7], start)
            var marks: [(time: Int, place: Int)] = []
            while next < frames.count, frames[next].time - start < clusterTime, cluster.count < clusterBytes {
                let frame = frames[next]
                if frame.track == 1 || !frames.contains(where: { $0.track == 1 }), frame.isKey { marks.append((frame.time, cluster.count)) }
                cluster += block(frame, start)
                next += 1
            }
            body += garbage
            let place = body.count
            body += Self.element([0x1F, 0x43, 0xB6, 0x75], cluster)
            for mark in marks {
                let track = frames.contains { $0.track == 1 } ? 1 : Int(frames[0].track)
                var positions = Self.number([0xF7], track) + Self.number([0xF1], misleads(count, place))
                if hasRelativePositions { positions += Self.number([0xF0], mark.place) }
                cues += Self.element([0xBB], Self.number([0xB3], mark.time) + Self.element([0xB7], positions))
                count += 1
            }
        }
        return cues
    }

    private func block(_ frame: Frame, _ start: Int) -> [UInt8] {
        let time = UInt16(bitPattern: Int16(frame.time - start))
        let head = [0x80 | frame.track, UInt8(time >> 8), UInt8(time & 255)]
        guard frame.track == 3 else { return Self.element([0xA3], head + [frame.isKey ? 0x80 : 0] + frame.bytes) }
        return Self.element([0xA0], Self.element([0xA1], head + [0] + frame.bytes) + Self.number([0x9B], 700))
    }
}
