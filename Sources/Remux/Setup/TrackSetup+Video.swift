internal import Codecs

extension TrackSetup {
    /// For a video track.
    ///
    /// - Parameter frame: the track's first frame, if it is known yet.
    /// - Throws: what is wrong with the configuration. `nil` is answered when a first frame is needed.
    static func video(_ track: SourceTrack, frame: [UInt8]?) throws(CodecError) -> TrackSetup? {
        let shape = track.video ?? VideoShape()
        switch track.codec {
        case .h264: return try h264(track, shape, frame)
        case .hevc: return try hevc(track, shape, frame)
        case .av1: return try av1(track, shape, frame)
        case .vp9: return try vp9(track, shape, frame)
        case .vp8: return TrackSetup("vp08", [VPConfiguration.vp8], .video(setup(shape, coded: (0, 0))))
        case .mpegVideo: return try mpegVideo(track, shape, frame)
        case .mpeg4Visual:
            guard let header = track.privateData, !header.isEmpty else { throw CodecError(.malformed, "MPEG-4 video: no CodecPrivate") }
            let configuration = ElementaryStreamDescriptor(objectType: .mpeg4Video, specific: header)
            var video = setup(shape, coded: (0, 0))
            video.reorderDepth = 1
            return TrackSetup("mp4v", [configuration], .video(video))
        default: throw CodecError(.unsupported, track.codec.name)
        }
    }

    private static func h264(_ track: SourceTrack, _ shape: VideoShape, _ frame: [UInt8]?) throws(CodecError) -> TrackSetup? {
        let configuration: AVCConfiguration
        if let record = track.privateData, !record.isEmpty {
            configuration = try AVCConfiguration(codecPrivate: record)
        } else {
            guard let frame else { return nil }
            configuration = try AVCConfiguration(annexB: frame)
        }
        let parameters = try configuration.parameters()
        var video = setup(shape, coded: (parameters.width, parameters.height), parameters.usability?.pixelAspect, parameters.usability?.colour)
        video.isInterlaced = parameters.isInterlaced
        video.reorderDepth = parameters.reorderDepth
        video.frameRate = parameters.frameRate
        return TrackSetup(
            "avc1", [configuration] + dolbyVision(track) + light(shape), .video(video), framing: framing(track, lengthSize: configuration.lengthSize))
    }

    private static func hevc(_ track: SourceTrack, _ shape: VideoShape, _ frame: [UInt8]?) throws(CodecError) -> TrackSetup? {
        let configuration: HEVCConfiguration
        if let record = track.privateData, !record.isEmpty {
            configuration = try HEVCConfiguration(codecPrivate: record)
        } else {
            guard let frame else { return nil }
            configuration = try HEVCConfiguration(annexB: frame)
        }
        let parameters = try configuration.parameters()
        var video = setup(shape, coded: (parameters.width, parameters.height), parameters.usability?.pixelAspect, parameters.usability?.colour)
        video.isInterlaced = parameters.isInterlaced
        video.reorderDepth = parameters.reorderDepth
        video.frameRate = parameters.frameRate
        return TrackSetup(
            "hvc1", [configuration] + dolbyVision(track) + light(shape), .video(video), framing: framing(track, lengthSize: configuration.lengthSize))
    }

    /// Of H.264 and HEVC: start codes where the container has such, or where the configuration itself is written so.
    private static func framing(_ track: SourceTrack, lengthSize: Int) -> SampleFraming {
        guard !track.hasStartCodes, let record = track.privateData, !record.isEmpty, !AnnexB.hasStartCode(record) else { return .startCodes }
        return .lengths(lengthSize)
    }

    private static func av1(_ track: SourceTrack, _ shape: VideoShape, _ frame: [UInt8]?) throws(CodecError) -> TrackSetup? {
        let configuration: AV1Configuration
        if let record = track.privateData, !record.isEmpty {
            configuration = try AV1Configuration(record: record)
        } else {
            guard let frame else { return nil }
            configuration = try AV1Configuration(temporalUnit: frame)
        }
        let header = configuration.sequenceHeader
        var video = setup(shape, coded: (header?.width ?? 0, header?.height ?? 0), nil, header?.colour)
        video.frameRate = header?.frameRate
        return TrackSetup("av01", [configuration] + dolbyVision(track) + light(shape), .video(video))
    }

    private static func vp9(_ track: SourceTrack, _ shape: VideoShape, _ frame: [UInt8]?) throws(CodecError) -> TrackSetup? {
        var header: VP9FrameHeader?
        if let frame { header = try? VP9FrameHeader(keyFrame: frame) }
        guard let configuration = VPConfiguration(features: track.privateData ?? [], keyFrame: header) else {
            if frame == nil { return nil }
            throw CodecError(.malformed, "VP9: neither CodecPrivate nor the first frame states the profile")
        }
        let video = setup(shape, coded: (header?.width ?? 0, header?.height ?? 0), nil, header?.colour)
        return TrackSetup("vp09", [configuration] + light(shape), .video(video))
    }

    private static func mpegVideo(_ track: SourceTrack, _ shape: VideoShape, _ frame: [UInt8]?) throws(CodecError) -> TrackSetup? {
        let header: MPEGVideoHeader
        if let stated = track.privateData, !stated.isEmpty {
            header = try MPEGVideoHeader(elementary: stated)
        } else {
            guard let frame else { return nil }
            header = try MPEGVideoHeader(elementary: frame)
        }
        let configuration = ElementaryStreamDescriptor(objectType: header.objectType, specific: header.bytes)
        var video = setup(shape, coded: (header.width, header.height), header.pixelAspect, header.colour)
        video.isInterlaced = !header.isProgressive
        video.reorderDepth = header.reorderDepth
        video.frameRate = header.frameRate
        return TrackSetup("mp4v", [configuration], .video(video))
    }

    /// What the container says, and where it says nothing what the codec's headers do.
    private static func setup(
        _ shape: VideoShape, coded: (width: Int, height: Int), _ aspect: Ratio? = nil, _ colour: ColourDescription? = nil
    ) -> VideoSetup {
        var setup = VideoSetup(
            width: shape.width > 0 ? shape.width : coded.width, height: shape.height > 0 ? shape.height : coded.height,
            pixelAspect: shape.pixelAspect ?? aspect)
        setup.rotation = shape.rotation
        setup.colour = shape.colour ?? colour
        return setup
    }

    private static func light(_ shape: VideoShape) -> [any DecoderConfiguration] {
        var boxes: [any DecoderConfiguration] = []
        if let mastering = shape.mastering { boxes.append(mastering) }
        if let light = shape.light { boxes.append(light) }
        return boxes
    }

    private static func dolbyVision(_ track: SourceTrack) -> [any DecoderConfiguration] {
        guard let record = track.dolbyVision, let configuration = try? DolbyVisionConfiguration(record: record) else { return [] }
        return [configuration]
    }
}
