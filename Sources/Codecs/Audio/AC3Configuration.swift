/// AC3SpecificBox (ETSI TS 102 366 §F.4): MP4's `dac3`.
package struct AC3Configuration: Hashable, Sendable, DecoderConfiguration {
    package let frame: AC3Frame

    /// `nil` for E-AC-3.
    package init?(_ frame: AC3Frame) {
        guard !frame.isEnhanced else { return nil }
        self.frame = frame
    }

    package var boxType: String { "dac3" }

    package var boxPayload: [UInt8] {
        var writer = BitWriter()
        writer.put(frame.rateCode, 2)
        writer.put(frame.version, 5)
        writer.put(frame.mode, 3)
        writer.put(frame.channelMode, 3)
        writer.put(frame.hasLowFrequency)
        writer.put(frame.bitrateCode, 5)
        writer.put(0, 5)
        return writer.bytes
    }
}
