internal import Codecs

/// One stream of the program: from its packets to units.
struct ElementaryWalk: Sendable {
    private enum State: Hashable, Sendable {
        /// Until a PES begins.
        case waiting
        /// Inside a PES header.
        case header
        /// Bytes left, if the PES states its length.
        case payload(Int?)
    }

    let pid: UInt16
    let track: Int
    /// As the map says; frames may say otherwise.
    let described: TransportCodec
    private var state = State.waiting
    private var header: [UInt8] = []
    private var headerOffset: UInt64 = 0
    private var counter: UInt8?
    private var fingerprint: (UInt64, UInt64) = (0, 0)
    private var isScrambled = false
    private var video: VideoFramer?
    private var audio: AudioFramer?

    init(track: Int, stream: ElementaryStream, configuration: TransportConfiguration?, latm: LATMStream?, limits: TransportLimits) {
        pid = stream.pid
        self.track = track
        described = stream.codec
        header.reserveCapacity(512)
        video = VideoFramer(track: track, stream: stream, configuration: configuration, limits: limits)
        audio = AudioFramer(track: track, stream: stream, latm: latm)
    }

    /// Takes a packet of this PID.
    mutating func take(
        _ packet: PacketHeader, _ bytes: UnsafeRawBufferPointer, offset: UInt64, _ clock: inout TransportClock, _ output: inout TransportOutput
    ) {
        guard let range = packet.payload else {
            if packet.isDiscontinuous { counter = nil }
            return
        }
        if packet.isScrambled {
            if !isScrambled { output.log.note(.scrambled, offset, pid) }
            isScrambled = true
            output.tracks[track].scrambledPackets += 1
            counter = nil
            return interrupt()
        }
        isScrambled = false
        let payload = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard isContinuous(packet, payload, offset, &output.log) else { return }
        if packet.startsUnit {
            if case .payload(let left?) = state, left > 0 { output.log.note(.shortPES, offset, pid) }
            if case .header = state { output.log.note(.badPES, offset, pid) }
            state = .header
            header.removeAll(keepingCapacity: true)
            headerOffset = offset
        }
        switch state {
        case .waiting: break
        case .header:
            header.append(contentsOf: payload)
            takeHeader(offset, &clock, &output)
        case .payload(let left):
            let count = min(left ?? .max, payload.count)
            if count > 0 { append(UnsafeRawBufferPointer(rebasing: payload[..<count]), offset, &output) }
            if let left { state = .payload(left - count) }
        }
    }

    /// Tells what is left; nothing follows.
    mutating func finish(_ offset: UInt64, _ output: inout TransportOutput) {
        if case .payload(let left?) = state, left > 0 { output.log.note(.shortPES, offset, pid) }
        if case .header = state { output.log.note(.badPES, offset, pid) }
        state = .waiting
        video?.finish(&output)
        audio?.finish(&output)
    }

    /// Packets are missing here.
    private mutating func interrupt() {
        if case .header = state { state = .waiting }
        video?.interrupt()
        audio?.interrupt()
    }

    /// Checks continuity_counter (§2.4.3.3): the next number, or the same packet once more, which is passed over.
    private mutating func isContinuous(
        _ packet: PacketHeader, _ payload: UnsafeRawBufferPointer, _ offset: UInt64, _ log: inout TransportDamageLog
    ) -> Bool {
        let print = Self.fingerprint(payload)
        defer {
            counter = packet.counter
            fingerprint = print
        }
        guard let counter, !packet.isDiscontinuous else { return true }
        if packet.counter == counter, print == fingerprint { return false }
        if packet.counter != (counter + 1) & 0x0F {
            log.note(.continuity, offset, pid)
            interrupt()
        }
        return true
    }

    /// Of both ends of a payload, and its length.
    private static func fingerprint(_ payload: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        guard payload.count >= 16 else {
            return (payload.reduce(UInt64(payload.count)) { $0 &* 0x100_0000_01B3 ^ UInt64($1) }, 0)
        }
        let first = payload.loadUnaligned(as: UInt64.self), last = payload.loadUnaligned(fromByteOffset: payload.count - 8, as: UInt64.self)
        return (first &+ UInt64(payload.count), last)
    }

    private mutating func takeHeader(_ offset: UInt64, _ clock: inout TransportClock, _ output: inout TransportOutput) {
        switch PESHeader.parse(header) {
        case .needMore: break
        case .bad:
            output.log.note(.badPES, headerOffset, pid)
            state = .waiting
        case .other: state = .waiting
        case .header(let found):
            guard !found.isScrambled else {
                output.log.note(.scrambled, headerOffset, pid)
                output.tracks[track].scrambledPackets += 1
                state = .waiting
                return interrupt()
            }
            if found.hasBadTimestamp { output.log.note(.badTimestamp, headerOffset, pid) }
            let (pts, dts) = times(found, &clock, &output)
            video?.begin(pts: pts, dts: dts, offset: headerOffset)
            audio?.begin(pts: pts, dts: dts, offset: headerOffset)
            let rest = header.count - found.size
            let count = min(found.payloadSize ?? .max, rest)
            state = .payload(found.payloadSize.map { $0 - count })
            if count > 0 { appendHeaderRest(found.size..<found.size + count, offset, &output) }
        }
    }

    private mutating func appendHeaderRest(_ range: Range<Int>, _ offset: UInt64, _ output: inout TransportOutput) {
        let header = header
        header.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[range]), offset, &output) }
    }

    private mutating func times(_ header: PESHeader, _ clock: inout TransportClock, _ output: inout TransportOutput) -> (Int64?, Int64?) {
        guard let raw = header.pts else { return (nil, nil) }
        let rawDecoding = header.dts ?? raw
        let (dts, isJump) = clock.time(rawDecoding, stream: track, told: output.end)
        if isJump { output.jump(headerOffset, pid) }
        output.stated(dts)
        let pts = TransportClock.unwrap(raw &- rawDecoding, near: 0) &+ dts
        guard pts >= dts, pts - dts <= TransportClock.forward else {
            output.log.note(.badTimestamp, headerOffset, pid)
            return (dts, dts)
        }
        return (pts, dts)
    }

    private mutating func append(_ payload: UnsafeRawBufferPointer, _ offset: UInt64, _ output: inout TransportOutput) {
        video?.append(payload, offset: offset, &output)
        audio?.append(payload, offset: offset, &output)
    }
}
