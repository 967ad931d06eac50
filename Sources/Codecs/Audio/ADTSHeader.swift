/// The header of an ADTS frame (ISO/IEC 14496-3 §1.A.2.2, ISO/IEC 13818-7 §6.2), as MPEG-TS carries AAC.
package struct ADTSHeader: Hashable, Sendable {
    /// MPEG-4 object type: 1 Main, 2 LC, 3 SSR, 4 LTP.
    package let objectType: Int
    package let samplingIndex: Int
    package let channelConfiguration: Int
    /// Of header and payload.
    package let frameSize: Int
    /// 7, or 9 with a checksum; more where several raw data blocks have their positions stated.
    package let headerSize: Int
    package let rawBlocks: Int

    /// Bytes that `init` needs.
    package static let size = 7

    /// From the start of a frame; `nil` unless a valid header stands there.
    package init?(_ bytes: some Collection<UInt8>) {
        var reader = BitReader(Array(bytes.prefix(Self.size)))
        guard reader.bits(12) == 0xFFF else { return nil }
        reader.skip(1)  // ID: MPEG-2 or MPEG-4
        guard reader.bits(2) == 0 else { return nil }
        let hasChecksum = !reader.flag()
        objectType = Int(reader.bits(2)) + 1
        samplingIndex = Int(reader.bits(4))
        reader.skip(1)
        channelConfiguration = Int(reader.bits(3))
        reader.skip(4)
        frameSize = Int(reader.bits(13))
        reader.skip(11)
        rawBlocks = Int(reader.bits(2)) + 1
        headerSize = hasChecksum ? 9 + (rawBlocks - 1) * 2 : 7
        guard !reader.overran, samplingIndex < AudioSpecificConfig.samplingRates.count, frameSize > headerSize else { return nil }
    }

    package var samplingRate: UInt32 { AudioSpecificConfig.samplingRates[samplingIndex] }
    /// Samples per channel.
    package var samples: Int { 1024 * rawBlocks }

    /// What MP4 states instead of the headers.
    ///
    /// - Parameter payload: the frame behind its header, needed where the channels are described there (configuration 0).
    package func configuration(payload: some Collection<UInt8>) throws(CodecError) -> AudioSpecificConfig {
        if channelConfiguration != 0 {
            return try AudioSpecificConfig(
                objectType: objectType, samplingIndex: samplingIndex, channelConfiguration: channelConfiguration)
        }
        let bytes = Array(payload.prefix(512))
        var reader = BitReader(bytes)
        guard reader.bits(3) == 5 else { throw CodecError(.unsupported, "ADTS: channels are not described") }
        return try AudioSpecificConfig(bytes: Self.described(objectType, samplingIndex, &reader))
    }

    /// The program config element behind `reader`, copied into a configuration. Its comment is left out.
    private static func described(_ objectType: Int, _ samplingIndex: Int, _ reader: inout BitReader) -> [UInt8] {
        var writer = BitWriter()
        writer.put(objectType, 5)
        writer.put(samplingIndex, 4)
        writer.put(0, 7)  // channelConfiguration and GASpecificConfig's three flags
        func copy(_ count: Int) -> Int {
            let value = reader.bits(count)
            writer.put(value, count)
            return Int(value)
        }
        _ = copy(10)
        let groups = [4, 4, 4, 2, 3, 4].map { copy($0) }
        if copy(1) == 1 { _ = copy(4) }
        if copy(1) == 1 { _ = copy(4) }
        if copy(1) == 1 { _ = copy(3) }
        for _ in 0..<groups[0] + groups[1] + groups[2] { _ = copy(5) }
        for _ in 0..<groups[3] + groups[4] { _ = copy(4) }
        for _ in 0..<groups[5] { _ = copy(5) }
        writer.align()
        writer.put(0, 8)  // comment_field_bytes
        return reader.overran ? [] : writer.bytes
    }
}
