internal import Codecs
package import Matroska

extension SourceTrack {
    /// A track of a Matroska file.
    ///
    /// - Parameter privateData: `CodecPrivate` with the track's encodings undone.
    package init(_ track: Track, privateData: [UInt8]?) {
        let codec = MatroskaCodecs.codec(track.codecID)
        self.init(identifier: track.number, kind: Self.kind(track.kind), codec: codec, codecID: track.codecID)
        self.privateData = privateData
        language = track.languageTag
        name = track.name
        (isDefault, isForced) = (track.isDefault, track.isForced)
        isHearingImpaired = track.isHearingImpaired ?? false
        isCommentary = track.isCommentary ?? false
        frameDuration = track.defaultDuration.flatMap { $0 <= 10_000_000_000 ? $0 : nil }
        // No codec needs seconds; what says so is damaged.
        codecDelay = track.codecDelay <= 10_000_000_000 ? track.codecDelay : 0
        video = track.video.map { VideoShape($0) }
        audio = track.audio.map { AudioShape($0) }
        // 'dvcC', 'dvvC', 'dvwC'
        dolbyVision = track.blockAdditionMappings.first { [0x6476_6343, 0x6476_7643, 0x6476_7743].contains($0.type) }?.extraData
        obstacle = Self.obstacle(track)
    }

    private static func kind(_ kind: TrackKind) -> Kind {
        switch kind {
        case .video: .video
        case .audio: .audio
        case .subtitle: .subtitle
        default: .other
        }
    }

    private static func obstacle(_ track: Track) -> Obstacle? {
        for encoding in track.encodings {
            switch encoding.step {
            case .zlib, .headerStripping: continue
            case .encryption(let algorithm): return .encrypted("ContentEncryption, algorithm \(algorithm)")
            case .unknownCompression(let algorithm):
                // RFC 9559 §5.1.4.1.31.6
                let names: [UInt64: String] = [1: "bzlib", 2: "lzo1x"]
                return .unreadable(names[algorithm].map { "compressed by \($0)" } ?? "compression \(algorithm)")
            case .unknown(let type): return .unreadable("content encoding of type \(type)")
            }
        }
        return track.hasOperation && track.codecID.isEmpty ? .unreadable("put together of other tracks") : nil
    }
}

extension VideoShape {
    init(_ settings: VideoSettings) {
        self.init()
        width = Int(clamping: settings.pixelWidth)
        height = Int(clamping: settings.pixelHeight)
        if let shown = settings.displaySize, let cropped = settings.croppedSize {
            pixelAspect = PixelAspect.ofDisplay(width: shown.width, height: shown.height, pixelWidth: cropped.width, pixelHeight: cropped.height)
        }
        if let projection = settings.projection, projection.type == 0 {
            // Matroska turns counter-clockwise.
            rotation = DisplayRotation(degrees: -projection.roll) ?? .none
        }
        guard let stated = settings.colour else { return }
        let description = ColourDescription(
            primaries: UInt8(exactly: stated.primaries) ?? 2, transfer: UInt8(exactly: stated.transfer) ?? 2,
            matrix: UInt8(exactly: stated.matrix) ?? 2, isFullRange: stated.range == 2)
        colour = description.isUnspecified ? nil : description
        mastering = stated.mastering.flatMap { MasteringDisplay($0) }
        if stated.maxContentLight != nil || stated.maxFrameAverageLight != nil {
            light = ContentLight(
                maximumContent: UInt16(clamping: stated.maxContentLight ?? 0),
                maximumPictureAverage: UInt16(clamping: stated.maxFrameAverageLight ?? 0))
        }
    }
}

extension AudioShape {
    init(_ settings: AudioSettings) {
        self.init()
        samplingRate = settings.samplingFrequency < 4e9 ? UInt32(settings.samplingFrequency.rounded()) : 0
        channels = Int(clamping: settings.channels)
        depth = settings.bitDepth.map { Int(clamping: $0) }
    }
}

extension MasteringDisplay {
    /// `nil` unless every value is there and can be written.
    init?(_ metadata: MasteringMetadata) {
        func point(_ point: MasteringMetadata.Point) -> Chromaticity? {
            guard let x = point.x, let y = point.y else { return nil }
            return Chromaticity(x: x, y: y)
        }
        guard let green = point(metadata.green), let blue = point(metadata.blue), let red = point(metadata.red),
            let white = point(metadata.white), let most = metadata.luminanceMax.flatMap(MasteringDisplay.luminance),
            let least = metadata.luminanceMin.flatMap(MasteringDisplay.luminance)
        else { return nil }
        self.init(red: red, green: green, blue: blue, white: white, maximumLuminance: most, minimumLuminance: least)
    }
}
