import Codecs

@testable import MPEGTransport

/// A small program: MPEG-2 video, whose headers are easy to write, and MP2 sound.
enum SampleStream {
    static let video: UInt16 = 0x100, audio: UInt16 = 0x101
    static let streams = [
        StreamWriter.Stream(pid: video, type: 2), StreamWriter.Stream(pid: audio, type: 3, descriptors: [0x0A, 4, 0x64, 0x65, 0x75, 3]),
    ]

    /// sequence_header() and sequence_extension(): 320×240, 25 pictures a second.
    static let sequence: [UInt8] = [0, 0, 1, 0xB3, 0x14, 0x00, 0xF0, 0x13, 0xFF, 0xFF, 0xE0, 0x18, 0, 0, 1, 0xB5, 0x14, 0x8A, 0x00, 0x01, 0x00, 0x00]

    /// A picture with one slice of `size` bytes. Type 1 I, 2 P, 3 B; structure 3 frame, 1 and 2 fields.
    static func picture(_ number: Int, type: UInt8, structure: UInt8 = 3, size: Int = 150) -> [UInt8] {
        let header: [UInt8] = [0, 0, 1, 0, UInt8(number >> 2 & 0xFF), UInt8(number & 3) << 6 | type << 3, 0xFF, 0xF8]
        let coding: [UInt8] = [0, 0, 1, 0xB5, 0x8F, 0xFF, 0xF0 | structure, 0x80, 0x00]
        let slice: [UInt8] = [0, 0, 1, 1], data = (0..<size).map { (index: Int) -> UInt8 in UInt8(2 + (index * 7 + number * 13) % 250) }
        return header + coding + slice + data
    }

    /// MP2, 48 kHz, 64 kbit/s: 192 bytes, 24 ms.
    static func frame(_ number: Int) -> [UInt8] {
        let head: [UInt8] = [0xFF, 0xFD, 0x44, 0x00]
        return head + (0..<188).map { (index: Int) -> UInt8 in UInt8(1 + (index * 3 + number * 17) % 200) }
    }

    /// `seconds` as 25 pictures (one I in 12, no B) and as many PES of MP2 a second, each at 40 ms.
    static func write(
        into writer: inout StreamWriter, pictures: Int = 25, from start: UInt64 = 90_000, tables: Bool = true, stated: Bool = false,
        discontinuity: Bool = false
    ) {
        var frames = 0
        for number in 0..<pictures {
            if tables, number % 10 == 0 { writer.putTables(streams) }
            let time = (start + UInt64(number) * 3600) & 0x1_FFFF_FFFF
            let isIntra = number % 12 == 0
            let data = (isIntra ? sequence : []) + picture(number % 12, type: isIntra ? 1 : 2)
            writer.put(pes: StreamWriter.pes(0xE0, pts: time, data, stated: stated), pid: video, discontinuity: discontinuity && number == 0)
            // As many frames as end before the next picture.
            var sound: [UInt8] = []
            let first = frames
            while frames * 24 < (number + 1) * 40 {
                sound += frame(frames)
                frames += 1
            }
            let pts = (start + UInt64(first) * 2160) & 0x1_FFFF_FFFF
            writer.put(pes: StreamWriter.pes(0xC0, pts: pts, sound), pid: audio)
        }
    }

    static func bytes(pictures: Int = 25, stride: Int = 188) -> [UInt8] {
        var writer = StreamWriter(stride: stride)
        write(into: &writer, pictures: pictures)
        return writer.bytes
    }
}

/// What was told of a whole file.
struct Told: Equatable {
    var head: TransportHead
    var events: [TransportEvent]
    var tracks: [TransportTrack]
    var damages: TransportDamageLog

    var units: [TransportUnit] { events.compactMap { if case .unit(let unit) = $0 { unit } else { nil } } }
    func units(_ track: Int) -> [TransportUnit] { units.filter { $0.track == track } }
    var jumps: Int { events.count { if case .jump = $0 { true } else { false } } }
    var video: [TransportUnit] { tracks.first { $0.stream.isVideo }.map { units($0.number) } ?? [] }
    var audio: [TransportUnit] { tracks.first { $0.stream.isAudio }.map { units($0.number) } ?? [] }

    /// Without the head's tables, which are no values to compare.
    static func == (left: Told, right: Told) -> Bool {
        left.events == right.events && left.tracks == right.tracks && left.damages == right.damages && left.head.tracks == right.head.tracks
            && left.head.firstTime == right.head.firstTime && left.head.stride == right.head.stride && left.head.program == right.head.program
            && left.head.programs == right.head.programs
    }
}

func readHead(_ bytes: [UInt8], piece: Int = .max, limits: TransportLimits = TransportLimits()) throws(TransportError) -> TransportHead {
    var parser = TransportHeadParser(limits: limits)
    while true {
        let start = Int(parser.position)
        let end = piece > bytes.count - start ? bytes.count : start + piece
        let step = start >= bytes.count ? parser.finish() : parser.feed(Array(bytes[start..<end]))
        switch step {
        case .more: continue
        case .done(let head): return head
        case .failed(let error): throw error
        }
    }
}

func walk(_ walker: TransportWalker, _ bytes: [UInt8], piece: Int = .max) -> ([TransportEvent], TransportWalker) {
    var walker = walker
    var events: [TransportEvent] = []
    while Int(walker.position) < bytes.count {
        let start = Int(walker.position)
        events += walker.feed(Array(bytes[start..<(piece > bytes.count - start ? bytes.count : start + piece)]))
    }
    events += walker.finish()
    return (events, walker)
}

/// Head and walk of a whole file.
func read(_ bytes: [UInt8], piece: Int = .max, limits: TransportLimits = TransportLimits()) throws(TransportError) -> Told {
    let head = try readHead(bytes, piece: piece, limits: limits)
    let (events, walker) = walk(TransportWalker(head, limits: limits), bytes, piece: piece)
    return Told(head: head, events: events, tracks: walker.tracks, damages: walker.damages)
}

/// Even times.
func times(_ count: Int, from start: Int64, step: Int64) -> [Int64] { (0..<count).map { start + Int64($0) * step } }
