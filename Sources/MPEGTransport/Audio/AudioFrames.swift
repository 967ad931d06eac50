internal import Codecs

/// How frames of one codec follow each other in the bytes of a stream.
enum AudioFrames: Hashable, Sendable {
    case adts, latm, mpeg, dolby, dts, opus

    init?(_ codec: TransportCodec) {
        switch codec {
        case .aac: self = .adts
        case .latm: self = .latm
        case .mpegAudio: self = .mpeg
        case .ac3, .eac3: self = .dolby
        case .dts: self = .dts
        case .opus: self = .opus
        default: return nil
        }
    }

    enum Step: Hashable, Sendable {
        /// A frame of this many bytes stands here, headers included. It may go on behind the bytes there are.
        case frame(Int)
        /// So many bytes from here on are needed to tell.
        case needMore(Int)
        case bad
    }

    /// Whether a frame may begin with these two bytes.
    func isSync(_ first: UInt8, _ second: UInt8) -> Bool {
        switch self {
        case .adts: first == 0xFF && second & 0xF6 == 0xF0
        case .latm: first == 0x56 && second & 0xE0 == 0xE0
        case .mpeg: first == 0xFF && second & 0xE0 == 0xE0
        case .dolby: first == 0x0B && second == 0x77
        case .dts: first == 0x7F && second == 0xFE || first == 0x64 && second == 0x58
        case .opus: first == 0x7F && second & 0xE0 == 0xE0
        }
    }

    /// What of a header stays from frame to frame: where it changes, the header may be none.
    func signature(_ bytes: [UInt8], at start: Int) -> UInt16 {
        guard start + 3 <= bytes.count else { return 0 }
        return switch self {
        case .adts: UInt16(bytes[start + 1]) << 8 | UInt16(bytes[start + 2])
        case .mpeg: UInt16(bytes[start + 1]) << 8 | UInt16(bytes[start + 2] & 0x0C)
        default: 0
        }
    }

    /// - Parameter isFinal: nothing comes behind `bytes`.
    func step(_ bytes: [UInt8], at start: Int, isFinal: Bool) -> Step {
        let left = bytes.count - start
        guard left >= 2 else { return isFinal ? .bad : .needMore(2) }
        guard isSync(bytes[start], bytes[start + 1]) else { return .bad }
        switch self {
        case .adts: return simple(left, ADTSHeader.size, isFinal) { ADTSHeader(bytes[start...])?.frameSize }
        case .latm: return simple(left, 3, isFinal) { LATMStream.frameSize(bytes[start...]) }
        case .mpeg: return simple(left, MPEGAudioHeader.size, isFinal) { MPEGAudioHeader(bytes[start...])?.frameSize }
        case .dolby: return dolby(bytes, at: start, isFinal: isFinal)
        case .dts: return dts(bytes, at: start, isFinal: isFinal)
        case .opus:
            if let header = OpusTransportHeader(bytes[start...]) { return .frame(header.size + header.packetSize) }
            // Longer than any header can be: a length of 5760 samples at 510 kbit/s is 30 bytes.
            return isFinal || left >= 600 ? .bad : .needMore(left + 1)
        }
    }

    private func simple(_ left: Int, _ headSize: Int, _ isFinal: Bool, _ size: () -> Int?) -> Step {
        guard left >= headSize else { return isFinal ? .bad : .needMore(headSize) }
        return size().map { .frame($0) } ?? .bad
    }

    /// Frames that belong to the one before them are of the same unit: dependent substreams, and independent ones but the first
    /// (ETSI TS 102 366 §E.1.3.1).
    private func dolby(_ bytes: [UInt8], at start: Int, isFinal: Bool) -> Step {
        let left = bytes.count - start
        guard left >= AC3Frame.headSize || isFinal else { return .needMore(AC3Frame.headSize) }
        guard let first = AC3Frame(bytes[start...]) else { return .bad }
        var size = first.size
        // 8 independent substreams, 8 dependent ones each.
        for _ in 0..<72 {
            guard left >= size + AC3Frame.headSize || isFinal else { return .needMore(size + AC3Frame.headSize) }
            guard left > size, let more = AC3Frame(bytes[(start + size)...]) else { break }
            guard more.kind == .dependent || more.kind == .independent && more.substream != 0 else { break }
            size += more.size
        }
        return .frame(size)
    }

    private func dts(_ bytes: [UInt8], at start: Int, isFinal: Bool) -> Step {
        let left = bytes.count - start
        // Head of an extension substream: 40 bytes are looked at.
        guard left >= 40 || isFinal else { return .needMore(40) }
        guard let head = DTSFrame(Array(bytes[start...].prefix(40))) else { return .bad }
        guard head.hasCore else { return .frame(head.size) }
        let wanted = (head.coreSize + 3) & ~3 + 40
        guard left >= wanted || isFinal else { return .needMore(wanted) }
        return DTSFrame(Array(bytes[start...].prefix(wanted))).map { .frame($0.size) } ?? .bad
    }
}
