internal import Codecs

/// Makes samples of frames: takes their headers off and tells the configuration.
struct AudioUnits: Sendable {
    struct Sample: Hashable, Sendable {
        var bytes: [UInt8]
        /// At `rate`.
        var samples: Int
        var rate: UInt32
    }

    enum Failure: Error { case unsupported }

    private let frames: AudioFrames
    private let opusChannels: UInt8?
    private(set) var latm: LATMStream
    /// What of the header the configuration follows from.
    private var key: [UInt8] = []
    private var preSkip: UInt16?

    /// - Parameter latm: what LATM stated before; it does not state it in every frame.
    init(_ frames: AudioFrames, opusChannels: UInt8?, latm: LATMStream?) {
        self.latm = latm ?? LATMStream()
        self.frames = frames
        self.opusChannels = opusChannels
    }

    /// The samples in a whole frame, and the configuration if it is another one. More than one only in LATM; none as long as
    /// LATM has not stated what it carries.
    mutating func samples(in frame: ArraySlice<UInt8>) throws(Failure) -> ([Sample], TransportConfiguration?) {
        switch frames {
        case .adts: try adts(frame)
        case .latm: try aac(frame)
        case .mpeg: try mpeg(frame)
        case .dolby: try dolby(frame)
        case .dts: try dts(frame)
        case .opus: try opus(frame)
        }
    }

    private mutating func isNew(_ key: [UInt8]) -> Bool {
        defer { self.key = key }
        return key != self.key
    }

    private mutating func adts(_ frame: ArraySlice<UInt8>) throws(Failure) -> ([Sample], TransportConfiguration?) {
        guard let header = ADTSHeader(frame), header.rawBlocks == 1 else { throw .unsupported }
        let payload = frame.dropFirst(header.headerSize)
        var configuration: TransportConfiguration?
        if isNew([UInt8(header.objectType), UInt8(header.samplingIndex), UInt8(header.channelConfiguration)]) {
            guard let found = try? header.configuration(payload: payload) else {
                key = []
                throw .unsupported
            }
            configuration = .aac(found)
        }
        return ([Sample(bytes: Array(payload), samples: header.samples, rate: header.samplingRate)], configuration)
    }

    private mutating func aac(_ frame: ArraySlice<UInt8>) throws(Failure) -> ([Sample], TransportConfiguration?) {
        let before = latm.configuration
        guard let found = try? latm.frames(in: Array(frame)) else { throw .unsupported }
        guard let configuration = latm.configuration else { return ([], nil) }
        let samples = found.filter { !$0.isEmpty }.map { Sample(bytes: $0, samples: configuration.frameLength, rate: configuration.samplingRate) }
        return (samples, configuration == before ? nil : .aac(configuration))
    }

    private mutating func mpeg(_ frame: ArraySlice<UInt8>) throws(Failure) -> ([Sample], TransportConfiguration?) {
        guard let header = MPEGAudioHeader(frame) else { throw .unsupported }
        // Bit rate, padding and joint stereo's details change from frame to frame.
        let isOther = isNew([UInt8(header.layer), header.isMPEG1 ? 1 : 0, UInt8(header.samplingRate / 1000), UInt8(header.channels)])
        return ([Sample(bytes: Array(frame), samples: header.samples, rate: header.samplingRate)], isOther ? .mpegAudio(header) : nil)
    }

    private mutating func dolby(_ frame: ArraySlice<UInt8>) throws(Failure) -> ([Sample], TransportConfiguration?) {
        guard let first = AC3Frame(frame) else { throw .unsupported }
        if let configuration = AC3Configuration(first) {
            // An AC-3 track cannot carry the E-AC-3 substreams that Blu-ray adds; without them it is whole.
            let isOther = isNew([first.rateCode, first.version, first.mode, first.channelMode, first.hasLowFrequency ? 1 : 0, first.bitrateCode])
            let sample = Sample(bytes: Array(frame.prefix(first.size)), samples: first.samples, rate: first.samplingRate)
            return ([sample], isOther ? .ac3(configuration) : nil)
        }
        let bytes = Array(frame)
        var configuration: TransportConfiguration?
        if isNew([first.rateCode, first.version, first.channelMode, first.hasLowFrequency ? 1 : 0]) {
            guard let found = try? EAC3Configuration(accessUnit: bytes) else {
                key = []
                throw .unsupported
            }
            configuration = .eac3(found)
        }
        return ([Sample(bytes: bytes, samples: first.samples, rate: first.samplingRate)], configuration)
    }

    private mutating func dts(_ frame: ArraySlice<UInt8>) throws(Failure) -> ([Sample], TransportConfiguration?) {
        let bytes = Array(frame)
        guard let head = DTSFrame(bytes), head.samplingRate > 0 else { throw .unsupported }
        let isOther = isNew([head.hasCore ? 1 : 0, head.hasExtension ? 1 : 0, UInt8(head.samplingRate / 1000), UInt8(head.channels)])
        let sample = Sample(bytes: bytes, samples: head.samples ?? 512, rate: head.samplingRate)
        return ([sample], isOther ? .dts(DTSConfiguration(head)) : nil)
    }

    private mutating func opus(_ frame: ArraySlice<UInt8>) throws(Failure) -> ([Sample], TransportConfiguration?) {
        guard let header = OpusTransportHeader(frame), header.size <= frame.count else { throw .unsupported }
        let packet = frame.dropFirst(header.size)
        guard let samples = OpusPacket.samples(packet) else { throw .unsupported }
        if preSkip == nil { preSkip = header.startTrim }
        var configuration: TransportConfiguration?
        if isNew([1]) {
            // Without a descriptor the packet's own flag says mono or stereo.
            let channels = opusChannels ?? ((packet.first ?? 0) & 4 == 0 ? 1 : 2)
            guard let found = OpusConfiguration(channels: channels, preSkip: preSkip ?? 0) else {
                key = []
                throw .unsupported
            }
            configuration = .opus(found)
        }
        return ([Sample(bytes: Array(packet), samples: samples, rate: 48000)], configuration)
    }
}
