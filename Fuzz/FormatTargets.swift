import Bytes
import Codecs
import Glibc
import MPEGTransport
import Matroska
import MediaFiles

@testable import MP4

extension FuzzTarget {
    static let formats: [FuzzTarget] = [
        FuzzTarget(name: "matroska", limit: 16 << 10, run: matroska),
        FuzzTarget(name: "transport", limit: 32 << 10, run: transport),
        FuzzTarget(name: "mp4", limit: 16 << 10, run: boxes),
        FuzzTarget(name: "codecs", limit: 4 << 10, run: codecs),
        FuzzTarget(name: "film", limit: 32 << 10, run: film),
    ]

    /// A head and all blocks behind it: every frame lies in the file, and the walk comes to an end.
    private static func matroska(_ bytes: [UInt8]) {
        let size = UInt64(bytes.count)
        func piece(_ range: FileRange) -> FilePiece {
            let start = Int(min(range.offset, size)), end = Int(min(max(range.end, range.offset + 512), size))
            return FilePiece(offset: UInt64(start), bytes: Array(bytes[start..<max(end, start)]))
        }
        var parser = MatroskaHeadParser(fileSize: size)
        var at = FilePiece.empty, steps = 0, found: MatroskaHead?
        let allowed = bytes.count * 8 + 10_000
        while found == nil {
            steps += 1
            precondition(steps < allowed, "the head has no end")
            guard let step = try? parser.next(at) else { return }
            switch step {
            case .need(let range): at = piece(range)
            case .done(let head): found = head
            }
        }
        guard let head = found else { return }
        let decoders = head.tracks.map { FrameDecoder($0) }
        for decoder in decoders { _ = try? decoder.codecPrivate() }
        var walker = ClusterWalker(at: head.firstCluster ?? head.segment.end, end: head.segment.end, tracks: head.trackNumbers)
        var inflated = 0
        while true {
            steps += 1
            precondition(steps < 2 * allowed, "the walk has no end")
            switch walker.next(at) {
            case .need(let range): at = piece(range)
            case .cluster, .damage: continue
            case .end: return
            case .block(let block):
                for range in block.frames {
                    precondition(range.end <= size, "a frame outside of the file")
                    guard let track = head.tracks.firstIndex(where: { $0.number == block.track }) else { continue }
                    // Inflating is bounded by itself; here it would only take time.
                    guard inflated < 64, let stored = piece(range).slice(range) else { continue }
                    inflated += 1
                    _ = try? decoders[track].frame(stored, at: range.offset)
                }
            }
        }
    }

    /// Tables, then units: their times never go back, and pieces of any size tell the same.
    private static func transport(_ bytes: [UInt8]) {
        var parser = TransportHeadParser()
        var head: TransportHead?
        reading: while head == nil {
            let start = Int(min(parser.position, UInt64(bytes.count)))
            let piece = Array(bytes[start..<min(start + 4096, bytes.count)])
            switch piece.isEmpty ? parser.finish() : parser.feed(piece) {
            case .more: continue
            case .done(let found): head = found
            case .failed: break reading
            }
        }
        guard let head else { return }
        var whole = TransportWalker(head)
        let events = whole.feed(bytes) + whole.finish()
        var last: [Int: Int64] = [:]
        for case .unit(let unit) in events {
            precondition(unit.pts >= unit.dts, "shown before it is decoded")
            precondition(last[unit.track].map { unit.dts > $0 } ?? true, "decoding times go back")
            last[unit.track] = unit.dts
        }
        var pieces = TransportWalker(head)
        var same: [TransportEvent] = []
        for start in stride(from: 0, to: bytes.count, by: 377) { same += pieces.feed(Array(bytes[start..<min(start + 377, bytes.count)])) }
        same += pieces.finish()
        precondition(same == events, "pieces tell something else")
    }

    /// A whole film, looked at and made an MP4 of, whose boxes can then be read. The last byte chooses the layout.
    private static func film(_ bytes: [UInt8]) {
        guard let last = bytes.last else { return }
        let place = "/dev/shm/reelfs-fuzz-\(getpid())", input = "\(place).film", output = "\(place).mp4"
        write(bytes, to: input)
        defer {
            unlink(input)
            unlink(output)
        }
        _ = try? FilmProbe.report(path: input, readsAll: true, isCancelled: { false }, onProgress: { _, _ in })
        let layout: RemuxRequest.Layout = [.progressive, .fastStart, .fragmented][Int(last % 3)]
        let request = RemuxRequest(input: input, output: output, layout: layout, replaces: true)
        guard let report = try? Remuxer.run(request, isCancelled: { false }, onProgress: { _, _ in }) else { return }
        precondition(report.bytes > 0 && report.film.tracks.contains(where: \.isCarried), "an MP4 of nothing")
        let made = read(output)
        precondition(UInt64(made.count) == report.bytes, "another length than was told")
        var root = BoxReader(made)
        var hasMovie = false
        do throws(MP4Error) {
            while var box = try root.child() {
                if box.type == MovieBox.type { hasMovie = try !MovieBox(from: &box).tracks.isEmpty }
            }
        } catch { preconditionFailure("an MP4 that cannot be read: \(error)") }
        precondition(hasMovie, "an MP4 without a movie")
    }

    private static func write(_ bytes: [UInt8], to path: String) {
        guard let file = fopen(path, "w") else { fatalError("no room for \(path)") }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    private static func read(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }

    /// Boxes of a whole file. What was understood is written and understood again as the same.
    private static func boxes(_ bytes: [UInt8]) {
        var root = BoxReader(bytes)
        while var box = try? root.child() {
            switch box.type {
            case MovieBox.type:
                guard let movie = try? MovieBox(from: &box) else { continue }
                for track in movie.tracks {
                    var samples = TableSamples(track.media.samples)
                    var count = 0
                    while count < 500, (try? samples.next()) ?? nil != nil { count += 1 }
                }
                again(movie)
            case MovieFragmentBox.type:
                guard let fragment = try? MovieFragmentBox(from: &box) else { continue }
                for track in Set(fragment.tracks.map(\.header.track)) {
                    guard var samples = try? FragmentSamples(fragment, at: 0, track: track, extends: nil) else { continue }
                    var count = 0
                    while count < 500, (try? samples.next()) ?? nil != nil { count += 1 }
                }
                again(fragment)
            case SegmentIndexBox.type: if let index = try? SegmentIndexBox(from: &box) { again(index) }
            case RandomAccessBox.type: if let index = try? RandomAccessBox(from: &box) { again(index) }
            case FileTypeBox.type: if let type = try? FileTypeBox(from: &box) { again(type) }
            default: continue
            }
        }
    }

    private static func again<Kind: Box & Equatable>(_ box: Kind) {
        guard let written = try? box.bytes(), let read = try? Kind(bytes: written), let twice = try? read.bytes() else { return }
        precondition(twice == written, "written again it is another")
    }

    /// The first byte chooses what the others are.
    private static func codecs(_ input: [UInt8]) {
        guard let kind = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch kind % 24 {
        case 0: if let found = try? AVCConfiguration(codecPrivate: bytes) { _ = (try? found.parameters(), found.boxPayload) }
        case 1: if let found = try? HEVCConfiguration(codecPrivate: bytes) { _ = (try? found.parameters(), found.boxPayload) }
        case 2: _ = try? H264SequenceParameters(unit: bytes)
        case 3: _ = (try? HEVCSequenceParameters(unit: bytes), try? HEVCVideoParameters(unit: bytes), try? HEVCPictureParameters(unit: bytes))
        case 4: _ = (try? AV1Configuration(record: bytes), try? AV1Configuration(temporalUnit: bytes))
        case 5: _ = try? VP9FrameHeader(keyFrame: bytes)
        case 6: _ = (try? MPEGVideoHeader(elementary: bytes), MPEGVideoHeader.isIntraPicture(bytes))
        case 7: if let found = try? AudioSpecificConfig(bytes: bytes) { _ = (found.frameLength, found.samplingRate) }
        case 8: _ = ADTSHeader(bytes)
        case 9:
            var stream = LATMStream()
            for _ in 0..<2 { _ = try? stream.frames(in: bytes) }
        case 10: _ = (AC3Frame(bytes), try? EAC3Configuration(accessUnit: bytes))
        case 11: _ = DTSFrame(bytes)
        case 12: _ = MPEGAudioHeader(bytes)
        case 13: _ = (OpusPacket.samples(bytes), try? OpusConfiguration(head: bytes), OpusTransportHeader(bytes))
        case 14: _ = (try? FLACConfiguration(codecPrivate: bytes), FLACConfiguration.samples(frame: bytes))
        case 15: _ = try? ALACConfiguration(codecPrivate: bytes)
        case 16: _ = try? ElementaryStreamDescriptor(payload: bytes)
        case 17: _ = (SubRipText.plain(bytes), SubStationText.plain(block: bytes), WebVTTText.plain(bytes))
        case 18:
            let sample = TimedTextSample.payload(String(decoding: bytes, as: UTF8.self))
            precondition(TimedTextSample.text(sample) != nil, "a text that is not read back")
            _ = TimedTextSample.text(bytes)
        case 19:
            let units = AnnexB.units(in: bytes)
            precondition(
                units.allSatisfy { $0.upperBound <= bytes.count } && zip(units, units.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
            let sample = AnnexB.lengthPrefixed(bytes)
            precondition(LengthPrefixed.units(in: sample, lengthSize: 4)?.count == units.filter { !$0.isEmpty }.count || sample.isEmpty)
        case 20: for size in 1...4 { _ = (LengthPrefixed.units(in: bytes, lengthSize: size), LengthPrefixed.annexB(bytes, lengthSize: size)) }
        case 21: precondition(RBSP.payload(of: RBSP.escaped(bytes), headerSize: 0) == bytes, "escaped and back it is another")
        case 22: _ = SupplementalInformation.messages(in: bytes)
        default: _ = (try? DolbyVisionConfiguration(record: bytes), MasteringDisplay(payload: bytes), ContentLight(payload: bytes))
        }
    }
}
