internal import Remux

extension MediaCodec {
    /// Of one subtitle; more than fills a screen.
    private static let textBytes = 64 << 10

    /// What a frame of text says, without styling.
    func text(of frame: ArraySlice<UInt8>) -> String { plainText(Array(frame.prefix(Self.textBytes))) }
}
