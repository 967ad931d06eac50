internal import Bytes
internal import Codecs

/// Cuts the bytes of a sound stream into frames by their headers, wherever PES begin and end. After damage a header counts when
/// it stands at the start of a PES, or when another one follows its frame.
struct AudioFramer: Sendable {
    private let track: Int
    private let pid: UInt16
    private let frames: AudioFrames
    private var units: AudioUnits
    private var buffer = ElementaryBuffer()
    /// Where the next frame begins.
    private var position = 0
    /// Bytes from `position` on without which nothing can be told.
    private var needed = 0
    private var isLocked = false
    private var lastSignature: UInt16 = 0
    /// What is passed over was told already, or is what a walk from the middle begins with.
    private var isLost = true
    /// Where packets are missing.
    private var holes: [Int] = []
    private var time: (start: Int64, samples: Int64, rate: Int64)?
    private var lastOffset: UInt64 = 0
    private var isWaiting = true

    init?(track: Int, stream: ElementaryStream, latm: LATMStream?) {
        guard let frames = AudioFrames(stream.codec) else { return nil }
        self.frames = frames
        self.track = track
        pid = stream.pid
        units = AudioUnits(frames, opusChannels: stream.opusChannels, latm: latm)
    }

    mutating func begin(pts: Int64?, dts: Int64?, offset: UInt64) {
        isWaiting = false
        buffer.begin(pts: pts, dts: dts, offset: offset)
    }

    mutating func interrupt() { if !isWaiting, buffer.count > 0, holes.last != buffer.count { holes.append(buffer.count) } }

    mutating func append(_ payload: UnsafeRawBufferPointer, offset: UInt64, _ output: inout TransportOutput) {
        guard !isWaiting else { return }
        buffer.append(payload, offset: offset)
        if buffer.count - position >= needed { work(isFinal: false, &output) }
    }

    mutating func finish(_ output: inout TransportOutput) {
        work(isFinal: true, &output)
        buffer.clear()
        (position, needed, holes) = (0, 0, [])
        (isLocked, isWaiting) = (false, true)
    }

    private mutating func work(isFinal: Bool, _ output: inout TransportOutput) {
        loop: while position < buffer.count {
            needed = 0
            switch frames.step(buffer.bytes, at: position, isFinal: isFinal) {
            case .needMore(let count):
                needed = count
                break loop
            case .bad: lose(to: position + 1, &output)
            case .frame(let size):
                let end = position + size
                // A frame with a hole in it has other bytes than its header says.
                if let hole = holes.first(where: { $0 > position && $0 < end && $0 <= buffer.count }) {
                    lose(to: hole, &output)
                    continue
                }
                let signature = frames.signature(buffer.bytes, at: position)
                if !isLocked || signature != lastSignature, !buffer.hasMark(at: position) {
                    switch confirm(end, isFinal: isFinal) {
                    case true?: break
                    case false?:
                        lose(to: position + 1, &output)
                        continue
                    case nil:
                        needed = size + 2
                        break loop
                    }
                }
                guard end <= buffer.count else {
                    if isFinal { lose(to: buffer.count, &output) }
                    needed = size
                    break loop
                }
                isLocked = true
                lastSignature = signature
                isLost = false
                tell(position..<end, &output)
                position = end
            }
        }
        forget()
    }

    /// Whether another frame follows at `end`; `nil` if that is not known yet.
    private func confirm(_ end: Int, isFinal: Bool) -> Bool? {
        guard end + 2 <= buffer.count else { return isFinal ? end <= buffer.count : nil }
        return frames.isSync(buffer.bytes[end], buffer.bytes[end + 1])
    }

    private mutating func lose(to end: Int, _ output: inout TransportOutput) {
        if !isLost, end > position { output.log.note(.lostFrame, buffer.source(position..<position + 1).offset, pid) }
        isLost = true
        isLocked = false
        position = end
    }

    private mutating func forget() {
        let count = min(position, buffer.count)
        guard count > 0 else { return }
        holes.removeAll { $0 <= count }
        for index in holes.indices { holes[index] -= count }
        buffer.drop(count)
        position -= count
    }

    private mutating func tell(_ range: Range<Int>, _ output: inout TransportOutput) {
        let mark = buffer.takeMark(at: range.lowerBound)
        if let mark { lastOffset = mark.offset }
        let source = buffer.source(range)
        let samples: [AudioUnits.Sample], configuration: TransportConfiguration?
        do { (samples, configuration) = try units.samples(in: buffer.bytes[range]) } catch {
            return output.log.note(.unsupportedFrame, source.offset, pid)
        }
        if let configuration { output.configure(track, configuration) }
        if configuration != nil, frames == .latm { output.latm[track] = units.latm }
        var isDerived = true
        if let pts = mark?.pts {
            time = (pts, 0, Int64(samples.first?.rate ?? 1))
            isDerived = false
        }
        for sample in samples {
            guard var now = time else {
                output.log.note(.noTimestamp, source.offset, pid)
                continue
            }
            let pts = now.start + (now.samples * 90_000 + now.rate / 2) / now.rate
            if now.rate != Int64(sample.rate) { now = (pts, 0, Int64(sample.rate)) }
            now.samples += Int64(sample.samples)
            time = now
            output.reach(now.start + now.samples * 90_000 / now.rate)
            output.tell(
                TransportUnit(
                    track: track, pts: pts, dts: pts, samples: sample.samples, isKeyframe: true, isTimeDerived: isDerived, isDamaged: false,
                    pesOffset: lastOffset, source: source, bytes: sample.bytes))
            isDerived = true
        }
    }
}
