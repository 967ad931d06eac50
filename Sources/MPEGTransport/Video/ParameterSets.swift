internal import Codecs

/// The parameter sets or sequence headers that were met in a stream.
struct ParameterSets: Sendable {
    /// H.264's sequence in force, which slice headers need.
    private(set) var sequence: H264SequenceParameters?
    /// 90 kHz from one picture to the next, by the frame rate.
    private(set) var step: Int64?
    private var opened: Int?
    /// With start codes, and where they begin.
    private var found: [(position: Int, bytes: [UInt8])] = []
    private var lastSequence: [UInt8] = []
    private var lastSets: [UInt8] = []
    /// Sets that alone made no configuration.
    private var pending: [UInt8] = []

    /// No stream needs more before its first picture.
    static let pendingLimit = 64 << 10

    mutating func use(_ configuration: TransportConfiguration) {
        if case .avc(let configuration) = configuration { sequence = try? configuration.parameters() }
        step = Self.step(configuration)
    }

    mutating func open(at code: Int) { opened = code }

    /// A start code stands at `code`, with `next` behind it: what was open ends here. Extensions stay with their sequence header.
    mutating func close(at code: Int, _ bytes: [UInt8], _ rules: PictureRules, next: UInt8? = nil) {
        guard let start = opened, start < code else { return }
        if rules == .mpeg, next == 0xB5 || next == 0xB2 { return }
        opened = nil
        guard code - start <= Self.pendingLimit else { return }
        var end = code
        // NAL units do not end in zeros; headers of MPEG video may.
        while rules != .mpeg, end > start + 4, bytes[end - 1] == 0 { end -= 1 }
        let set = Array(bytes[start..<end])
        found.append((start, set))
        guard rules == .h264, set.count > 3, H264NAL.type(set[3]) == H264NAL.sequence, set != lastSequence else { return }
        lastSequence = set
        if let parameters = try? H264SequenceParameters(unit: Array(set.dropFirst(3))) { sequence = parameters }
    }

    /// What the sets before `end` say, if they are others than last time.
    mutating func configuration(before end: Int, _ rules: PictureRules) -> TransportConfiguration? {
        let sets = found.filter { $0.position < end }.flatMap(\.bytes)
        guard !sets.isEmpty, sets != lastSets else { return nil }
        lastSets = sets
        guard let configuration = Self.configuration(sets, rules) ?? Self.configuration(pending + sets, rules) else {
            pending = pending.count + sets.count <= Self.pendingLimit ? pending + sets : []
            return nil
        }
        pending = []
        step = Self.step(configuration)
        return configuration
    }

    private static func configuration(_ sets: [UInt8], _ rules: PictureRules) -> TransportConfiguration? {
        switch rules {
        case .h264: (try? AVCConfiguration(annexB: sets)).map { .avc($0) }
        case .hevc: (try? HEVCConfiguration(annexB: sets)).map { .hevc($0) }
        case .mpeg: (try? MPEGVideoHeader(elementary: sets)).map { .mpegVideo($0) }
        }
    }

    private static func step(_ configuration: TransportConfiguration) -> Int64? {
        let rate: Ratio? =
            switch configuration {
            case .avc(let configuration): (try? configuration.parameters())?.frameRate
            case .hevc(let configuration): (try? configuration.parameters())?.frameRate
            case .mpegVideo(let header): header.frameRate
            default: nil
            }
        guard let rate else { return nil }
        let step = 90_000 * Int64(rate.denominator) / Int64(rate.numerator)
        // Between 1 and 300 pictures a second; else it is no frame rate.
        return (300...90_000).contains(step) ? step : nil
    }

    mutating func drop(_ count: Int) {
        found.removeAll { $0.position < count }
        for index in found.indices { found[index].position -= count }
        opened = opened.flatMap { $0 >= count ? $0 - count : nil }
    }

    mutating func clear() {
        found = []
        opened = nil
    }
}
