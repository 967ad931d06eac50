internal import Codecs

extension MediaCodec {
    /// The words of a subtitle frame, without styling.
    package func plainText(_ frame: [UInt8]) -> String {
        switch self {
        case .subRip: SubRipText.plain(frame)
        case .subStation: SubStationText.plain(block: frame)
        case .webVTT: WebVTTText.plain(frame)
        case .webVTTCue: WebVTTText.plain(Array(frame.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false).dropFirst(2).joined()))
        default: ""
        }
    }
}
