/// What a decoder must know before the first frame, as an MP4 sample entry carries it.
package protocol DecoderConfiguration: Sendable {
    /// Type of the box inside the sample entry: four ASCII characters.
    var boxType: String { get }
    /// The box without its size and type. A full box's version and flags are included.
    var boxPayload: [UInt8] { get }
}
