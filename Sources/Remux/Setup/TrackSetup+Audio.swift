internal import Codecs

extension TrackSetup {
    /// For an audio track.
    ///
    /// - Parameter frame: the track's first frame, if it is known yet.
    /// - Throws: what is wrong with the configuration. `nil` is answered when a first frame is needed.
    static func audio(_ track: SourceTrack, frame: [UInt8]?) throws(CodecError) -> TrackSetup? {
        let shape = track.audio ?? AudioShape()
        switch track.codec {
        case .aac: return try aac(track, shape)
        case .opus: return try opus(track, shape)
        case .flac:
            let configuration = try FLACConfiguration(codecPrivate: track.privateData ?? [])
            let setup = AudioSetup(
                samplingRate: configuration.samplingRate, channels: configuration.channels, depth: configuration.depth,
                frameSamples: .flac)
            return TrackSetup("fLaC", [configuration], .audio(setup))
        case .alac:
            let configuration = try ALACConfiguration(codecPrivate: track.privateData ?? [])
            let setup = AudioSetup(
                samplingRate: configuration.samplingRate, channels: Int(configuration.channels), depth: Int(configuration.depth),
                frameSamples: .fixed(Int(clamping: configuration.frameLength)))
            return TrackSetup("alac", [configuration], .audio(setup))
        default:
            guard let frame else { return nil }
            return try ofFrame(track, frame)
        }
    }

    /// Codecs whose every frame says all there is to know.
    private static func ofFrame(_ track: SourceTrack, _ frame: [UInt8]) throws(CodecError) -> TrackSetup {
        switch track.codec {
        case .ac3:
            // Blu-ray and others name E-AC-3 so, too.
            guard let header = AC3Frame(frame) else { throw CodecError(.malformed, "AC-3: no sync word in the first frame") }
            if header.isEnhanced { return try enhanced(frame) }
            guard let configuration = AC3Configuration(header) else { throw CodecError(.unsupported, "AC-3: bit stream \(header.version)") }
            let setup = AudioSetup(samplingRate: header.samplingRate, channels: header.channels, frameSamples: .fixed(header.samples))
            return TrackSetup("ac-3", [configuration], .audio(setup))
        case .enhancedAC3: return try enhanced(frame)
        case .mpegAudio:
            guard let header = MPEGAudioHeader(frame) else { throw CodecError(.malformed, "MPEG audio: no sync word in the first frame") }
            let configuration = ElementaryStreamDescriptor(objectType: header.objectType, specific: [])
            let setup = AudioSetup(samplingRate: header.samplingRate, channels: header.channels, frameSamples: .fixed(header.samples))
            return TrackSetup("mp4a", [configuration], .audio(setup))
        case .dts:
            guard let header = DTSFrame(frame) else { throw CodecError(.malformed, "DTS: no sync word in the first frame") }
            guard let samples = header.samples, samples > 0 else { throw CodecError(.unsupported, "DTS: a frame without a core") }
            let configuration = DTSConfiguration(header)
            let setup = AudioSetup(samplingRate: header.samplingRate, channels: header.channels, frameSamples: .fixed(samples))
            return TrackSetup(configuration.entryType, [configuration], .audio(setup))
        default: throw CodecError(.unsupported, track.codec.name)
        }
    }

    private static func enhanced(_ frame: [UInt8]) throws(CodecError) -> TrackSetup {
        let configuration = try EAC3Configuration(accessUnit: frame)
        let setup = AudioSetup(
            samplingRate: configuration.samplingRate, channels: configuration.channels, frameSamples: .fixed(configuration.samples))
        return TrackSetup("ec-3", [configuration], .audio(setup))
    }

    private static func aac(_ track: SourceTrack, _ shape: AudioShape) throws(CodecError) -> TrackSetup {
        let configuration = try aacConfiguration(track, shape)
        let descriptor = ElementaryStreamDescriptor(objectType: .mpeg4Audio, specific: configuration.bytes)
        var setup = AudioSetup(
            samplingRate: configuration.samplingRate, channels: configuration.channels, frameSamples: .fixed(configuration.frameLength))
        setup.preSkip = skip(track, rate: configuration.samplingRate)
        return TrackSetup("mp4a", [descriptor], .audio(setup))
    }

    /// CodecPrivate, or what the long codec IDs of old files say: `A_AAC/MPEG4/LC/SBR`.
    private static func aacConfiguration(_ track: SourceTrack, _ shape: AudioShape) throws(CodecError) -> AudioSpecificConfig {
        if let bytes = track.privateData, !bytes.isEmpty { return try AudioSpecificConfig(bytes: bytes) }
        let types = ["MAIN": 1, "LC": 2, "SSR": 3, "LTP": 4]
        let parts = track.codecID.split(separator: "/")
        guard let type = parts.lazy.compactMap({ types[String($0)] }).first,
            let index = AudioSpecificConfig.samplingRates.firstIndex(of: shape.samplingRate), (1...8).contains(shape.channels)
        else { throw CodecError(.malformed, "AAC: no AudioSpecificConfig") }
        return try AudioSpecificConfig(objectType: type, samplingIndex: index, channelConfiguration: shape.channels == 8 ? 7 : shape.channels)
    }

    private static func opus(_ track: SourceTrack, _ shape: AudioShape) throws(CodecError) -> TrackSetup {
        let configuration: OpusConfiguration
        if let head = track.privateData, !head.isEmpty {
            configuration = try OpusConfiguration(head: head)
        } else {
            guard let plain = OpusConfiguration(channels: UInt8(clamping: shape.channels)) else {
                throw CodecError(.malformed, "Opus: no OpusHead, and \(shape.channels) channels")
            }
            configuration = plain
        }
        var setup = AudioSetup(samplingRate: 48000, channels: Int(configuration.channels), frameSamples: .opus)
        setup.preSkip = Int(configuration.preSkip)
        return TrackSetup("Opus", [configuration], .audio(setup))
    }

    /// CodecDelay in samples (RFC 9559 §5.1.4.1.25).
    private static func skip(_ track: SourceTrack, rate: UInt32) -> Int {
        Int(clamping: Clock(rate: rate).ticks(nanoseconds: Int64(clamping: track.codecDelay)))
    }
}
