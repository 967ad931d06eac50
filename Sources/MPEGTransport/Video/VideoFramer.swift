internal import Bytes
internal import Codecs

/// Cuts the bytes of a video stream into pictures, wherever PES begin and end. A unit begins with the first parameter set,
/// delimiter or header in front of a picture; two fields of one frame stay together.
struct VideoFramer: Sendable {
    private let track: Int
    private let pid: UInt16
    private let rules: PictureRules
    private let limit: Int
    private var buffer = ElementaryBuffer()
    /// Where the next start code is looked for.
    private var scan = 0
    /// The unit in work: where it begins, and its first start code behind a leading zero.
    private var unit: (start: Int, code: Int)?
    /// What may be the next unit's beginning, if another picture and no second field follows.
    private var next: (start: Int, code: Int, hasDelimiter: Bool)?
    private var picture: PictureStart?
    private var hasSecondField = false
    private var supplementals: [Int] = []
    private var sets = ParameterSets()
    private var isDamaged = false
    private var times = PictureTimes()
    private var lastOffset: UInt64 = 0
    /// Bytes are passed over until a PES begins.
    private var isWaiting = true

    init?(track: Int, stream: ElementaryStream, configuration: TransportConfiguration?, limits: TransportLimits) {
        guard let rules = PictureRules(stream.codec) else { return nil }
        self.rules = rules
        self.track = track
        pid = stream.pid
        limit = limits.unitBytes
        if let configuration { sets.use(configuration) }
    }

    mutating func begin(pts: Int64?, dts: Int64?, offset: UInt64) {
        isWaiting = false
        buffer.begin(pts: pts, dts: dts, offset: offset)
    }

    mutating func interrupt() { if !isWaiting { isDamaged = true } }

    mutating func append(_ payload: UnsafeRawBufferPointer, offset: UInt64, _ output: inout TransportOutput) {
        guard !isWaiting else { return }
        buffer.append(payload, offset: offset)
        work(isFinal: false, &output)
        guard buffer.count > limit else { return }
        output.log.note(.tooLarge, offset, pid)
        reset()
    }

    mutating func finish(_ output: inout TransportOutput) {
        work(isFinal: true, &output)
        sets.close(at: buffer.count, buffer.bytes, rules)
        if picture != nil { tell(to: buffer.count, &output) }
        reset()
    }

    private mutating func reset() {
        buffer.clear()
        scan = 0
        unit = nil
        next = nil
        picture = nil
        hasSecondField = false
        supplementals = []
        sets.clear()
        isDamaged = false
        isWaiting = true
    }

    private mutating func work(isFinal: Bool, _ output: inout TransportOutput) {
        while true {
            let parameters = sets.sequence
            let (from, rules) = (scan, rules)
            let found: (code: Int, isReady: Bool)? = buffer.bytes.withUnsafeBytes { bytes in
                StartCodes.next(in: bytes, from: from).map { ($0, isFinal || bytes.count - $0 - 3 >= PictureRules.lookAhead) }
            }
            guard let found else {
                scan = max(scan, buffer.count - 2)
                break
            }
            scan = found.code
            guard found.isReady, found.code + 3 < buffer.count else { break }
            let first = buffer.bytes[found.code + 3]
            // An SPS that ends here is in force for the slice that begins here.
            sets.close(at: found.code, buffer.bytes, rules, next: first)
            let current = sets.sequence ?? parameters
            let kind = buffer.bytes.withUnsafeBytes { rules.unit(UnsafeRawBufferPointer(rebasing: $0[(found.code + 3)...]), current) }
            if rules.isParameters(first) { sets.open(at: found.code) }
            if rules.isSupplemental(first) { supplementals.append(found.code) }
            scan = found.code + 3
            take(kind, at: found.code, &output)
        }
        if unit == nil { drop(min(scan, buffer.count)) }
    }

    private mutating func take(_ kind: PictureUnit, at code: Int, _ output: inout TransportOutput) {
        // zero_byte goes with the start code behind it, unless that begins a PES: then it is the end of the unit before.
        let hasZero = code > 0 && buffer.bytes[code - 1] == 0 && !buffer.hasMark(at: code)
        let start = hasZero ? code - 1 : code
        switch kind {
        case .other: break
        case .prefix(let isDelimiter):
            if unit == nil {
                unit = (start, code)
            } else if picture != nil {
                if next == nil { next = (start, code, isDelimiter) } else if isDelimiter { next?.hasDelimiter = true }
            }
        case .slice:
            // Behind a delimiter it is a picture whose first slice is missing.
            guard let coming = next else { break }
            next = nil
            if coming.hasDelimiter {
                tell(to: coming.start, &output)
                unit = (0, coming.code - coming.start)
                picture = PictureStart()
                isDamaged = true
            }
        case .picture(let head):
            guard unit != nil else {
                unit = (start, code)
                picture = head
                return
            }
            guard let current = picture else {
                picture = head
                return
            }
            if !hasSecondField, head.completes(current) {
                hasSecondField = true
                next = nil
                return
            }
            let begin = next.map { ($0.start, $0.code) } ?? (start, code)
            next = nil
            tell(to: begin.0, &output)
            unit = (0, begin.1 - begin.0)
            picture = head
        }
    }

    /// Tells the unit in work, which ends before `end`, and forgets its bytes.
    private mutating func tell(to end: Int, _ output: inout TransportOutput) {
        defer {
            drop(end)
            hasSecondField = false
            isDamaged = false
            unit = nil
            picture = nil
        }
        guard let unit, let picture, end > unit.start else { return }
        if let configuration = sets.configuration(before: end, rules) {
            output.configure(track, configuration)
            times.step = sets.step ?? times.step
        }
        let mark = buffer.takeMark(at: unit.code)
        if let mark { lastOffset = mark.offset }
        let source = buffer.source(unit.start..<end)
        guard let time = times.next(mark, isReference: picture.isReference) else {
            return output.log.note(.noTimestamp, source.offset, pid)
        }
        let bytes = Array(buffer.bytes[unit.start..<end])
        output.tell(
            TransportUnit(
                track: track, pts: time.pts, dts: time.dts, samples: 0, isKeyframe: picture.isIntra || hasRecoveryPoint(before: end),
                isTimeDerived: time.isDerived, isDamaged: isDamaged, pesOffset: mark?.offset ?? lastOffset, source: source, bytes: bytes))
    }

    private func hasRecoveryPoint(before end: Int) -> Bool {
        supplementals.contains { code in
            guard code < end else { return false }
            let stop = buffer.bytes.withUnsafeBytes { StartCodes.next(in: $0, from: code + 3) } ?? end
            return H264NAL.isSyncPoint([code + 3..<max(code + 3, min(stop, end))], in: buffer.bytes)
        }
    }

    private mutating func drop(_ count: Int) {
        guard count > 0 else { return }
        buffer.drop(count)
        scan = max(0, scan - count)
        supplementals.removeAll { $0 < count }
        for index in supplementals.indices { supplementals[index] -= count }
        sets.drop(count)
    }
}
