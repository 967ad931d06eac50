internal import Bytes

/// VPCodecConfigurationRecord (VP Codec ISO Media File Format Binding §"VP Codec Configuration Box"), version 1: MP4's `vpcC`.
package struct VPConfiguration: Hashable, Sendable, DecoderConfiguration {
    package var profile: UInt8
    /// Ten times the level. 31 (up to 1280×720 at 80 frames per second) where nothing says better.
    package var level: UInt8
    package var depth: UInt8
    /// 0 4:2:0 vertical, 1 4:2:0 co-located, 2 4:2:2, 3 4:4:4.
    package var chromaSubsampling: UInt8
    package var colour: ColourDescription

    /// VP8 has one form only.
    package static let vp8 = VPConfiguration(profile: 0, level: 0, depth: 8, chromaSubsampling: 0, colour: ColourDescription())

    private init(profile: UInt8, level: UInt8, depth: UInt8, chromaSubsampling: UInt8, colour: ColourDescription) {
        self.profile = profile
        self.level = level
        self.depth = depth
        self.chromaSubsampling = chromaSubsampling
        self.colour = colour
    }

    /// From the features of a WebM CodecPrivate (WebM Container Guidelines, "VP9 Codec Feature Metadata") and the first key
    /// frame; the features go first where both speak. `nil` without either.
    package init?(features: [UInt8], keyFrame: VP9FrameHeader?) {
        var stated: [UInt8: UInt8] = [:]
        var reader = BigEndianReader(features)
        while reader.remaining >= 2 {
            let identifier = reader.u8(), value = reader.bytes(Int(reader.u8()))
            guard !reader.overran else { break }
            if value.count == 1 { stated[identifier] = value[0] }
        }
        guard keyFrame != nil || stated[1] != nil else { return nil }
        var subsampling: UInt8 = 0
        if let frame = keyFrame { subsampling = frame.subsamplingX ? (frame.subsamplingY ? 0 : 2) : 3 }
        profile = stated[1] ?? keyFrame?.profile ?? 0
        level = stated[2] ?? 31
        depth = stated[3] ?? keyFrame?.depth ?? (profile >= 2 ? 10 : 8)
        chromaSubsampling = (stated[4] ?? subsampling) & 7
        colour = keyFrame?.colour ?? ColourDescription()
    }

    package var boxType: String { "vpcC" }

    package var boxPayload: [UInt8] {
        [
            1, 0, 0, 0, profile, level, (depth & 15) << 4 | (chromaSubsampling & 7) << 1 | (colour.isFullRange ? 1 : 0), colour.primaries,
            colour.transfer, colour.matrix, 0, 0,
        ]
    }
}
