/// The Audio element of a track (RFC 9559 §5.1.4.1.29).
package struct AudioSettings: Hashable, Sendable {
    /// Hz; above 0.
    package var samplingFrequency = 8000.0
    /// Hz, of what is heard: with SBR twice the coded rate.
    package var outputSamplingFrequency: Double?
    package var channels: UInt64 = 1
    package var bitDepth: UInt64?
    package var emphasis: UInt64 = 0

    init(_ body: ElementBody) throws(MatroskaError) {
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .samplingFrequency:
                let value = try child.float(8000)
                guard value > 0 else { throw child.error(.badValue, "\(value) Hz") }
                samplingFrequency = value
            case .outputSamplingFrequency:
                let value = try child.float()
                outputSamplingFrequency = value > 0 ? value : nil
            case .channels: channels = max(1, try child.unsigned(1))
            case .bitDepth: bitDepth = try child.unsigned().nilIfZero
            case .emphasis: emphasis = try child.unsigned()
            default: break
            }
        }
    }
}
