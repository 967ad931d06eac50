package import MP4
internal import Codecs

extension SampleEntry {
    /// What `stsd` says of a track.
    package init(_ setup: TrackSetup) {
        let format = FourCC(setup.entryType) ?? "free"
        var children = setup.configurations.map { RawBox(type: FourCC($0.boxType) ?? "free", payload: $0.boxPayload) }
        switch setup.media {
        case .video(let video):
            children += Self.picture(video)
            self = .visual(
                VisualSampleEntry(
                    format: format, width: UInt16(clamping: video.width), height: UInt16(clamping: video.height), children: children))
        case .audio(let audio):
            self = .audio(
                AudioSampleEntry(
                    format: format, channels: UInt16(clamping: audio.channels), rate: audio.samplingRate, bits: UInt16(clamping: audio.depth),
                    children: children))
        case .text: self = .text(TextSampleEntry())
        }
    }

    private static func picture(_ video: VideoSetup) -> [RawBox] {
        var boxes: [RawBox] = []
        if let colour = video.colour, !colour.isUnspecified {
            let box = ColourBox.coded(
                primaries: UInt16(colour.primaries), transfer: UInt16(colour.transfer), matrix: UInt16(colour.matrix), isFullRange: colour.isFullRange
            )
            if let raw = try? RawBox(box) { boxes.append(raw) }
        }
        if let aspect = video.pixelAspect, aspect.numerator != aspect.denominator {
            if let raw = try? RawBox(PixelAspectBox(horizontal: aspect.numerator, vertical: aspect.denominator)) { boxes.append(raw) }
        }
        return boxes
    }
}
