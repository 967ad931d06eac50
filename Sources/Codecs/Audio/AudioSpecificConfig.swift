/// AudioSpecificConfig of MPEG-4 audio (ISO/IEC 14496-3 §1.6.2.1): Matroska's CodecPrivate of A_AAC and the specific part of
/// MP4's `esds`.
package struct AudioSpecificConfig: Hashable, Sendable {
    /// 2 AAC LC, 5 SBR (HE-AAC), 29 PS (HE-AAC v2), 42 USAC … For SBR and PS this is the core's type.
    package private(set) var objectType = 0
    /// Of the core: SBR plays at twice this rate.
    package private(set) var samplingRate: UInt32 = 0
    /// SBR's rate, if it is stated.
    package private(set) var extensionRate: UInt32?
    package private(set) var hasSBR = false
    package private(set) var hasPS = false
    package private(set) var channels = 0
    /// Core samples in a frame: 1024 mostly, 960 in broadcasts.
    package private(set) var frameLength = 1024
    /// The configuration's bits, from its first to its last, zeros up to a byte.
    package private(set) var bytes: [UInt8]

    /// ISO/IEC 14496-3 table 1.18.
    package static let samplingRates: [UInt32] = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350]

    package init(bytes: [UInt8]) throws(CodecError) {
        var reader = BitReader(bytes)
        self.bytes = bytes
        try read(&reader, looksForExtension: true)
    }

    /// AAC of one of the four types that ADTS knows, by table indices.
    package init(objectType: Int, samplingIndex: Int, channelConfiguration: Int) throws(CodecError) {
        var writer = BitWriter()
        writer.put(objectType, 5)
        writer.put(samplingIndex, 4)
        writer.put(channelConfiguration, 4)
        writer.put(0, 3)
        try self.init(bytes: writer.bytes)
    }

    /// Inside LATM, where it ends at any bit.
    ///
    /// - Parameter bitCount: its length, where LATM states it: only then an extension at its end can be told.
    init(_ reader: inout BitReader, in bytes: [UInt8], bitCount: Int?) throws(CodecError) {
        self.bytes = []
        let start = reader.position
        if let bitCount {
            guard bitCount <= reader.remaining else { throw CodecError(.truncated, "AudioSpecificConfig") }
            self.bytes = Self.bits(start..<start + bitCount, of: bytes)
            var inner = BitReader(self.bytes)
            try read(&inner, looksForExtension: true)
            reader.skip(bitCount)
        } else {
            try read(&reader, looksForExtension: false)
            self.bytes = Self.bits(start..<reader.position, of: bytes)
        }
    }

    private static func bits(_ range: Range<Int>, of bytes: [UInt8]) -> [UInt8] {
        var source = BitReader(bytes)
        var target = BitWriter()
        source.skip(range.lowerBound)
        var left = range.count
        while left > 0 {
            let count = min(left, 32)
            target.put(source.bits(count), count)
            left -= count
        }
        return target.bytes
    }

    private mutating func read(_ reader: inout BitReader, looksForExtension: Bool) throws(CodecError) {
        objectType = Self.objectType(&reader)
        samplingRate = Self.samplingRate(&reader)
        let configuration = Int(reader.bits(4))
        if objectType == 5 || objectType == 29 {
            hasSBR = true
            hasPS = objectType == 29
            extensionRate = Self.samplingRate(&reader)
            objectType = Self.objectType(&reader)
            if objectType == 22 { reader.skip(4) }
        }
        // table 1.19; 0: a program config element says
        let counts = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8, 0]
        channels = counts[configuration]
        switch objectType {
        case 1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23: readGeneral(&reader, configuration: configuration)
        case 39: frameLength = reader.flag() ? 480 : 512  // ELDSpecificConfig()
        case 42: readUnified(&reader)
        default: throw CodecError(.unsupported, "MPEG-4 audio object type \(objectType)")
        }
        guard !reader.overran else { throw CodecError(.truncated, "AudioSpecificConfig") }
        guard samplingRate > 0, channels > 0 else {
            throw CodecError(.malformed, "AudioSpecificConfig: \(channels) channels at \(samplingRate) Hz")
        }
        if looksForExtension, !hasSBR { readExtension(&reader) }
    }

    /// GASpecificConfig() (§4.4.1)
    private mutating func readGeneral(_ reader: inout BitReader, configuration: Int) {
        let isShort = reader.flag()
        frameLength = objectType == 23 ? (isShort ? 480 : 512) : objectType == 3 ? 256 : (isShort ? 960 : 1024)
        if reader.flag() { reader.skip(14) }  // coreCoderDelay
        let isExtended = reader.flag()
        if configuration == 0 { channels = Self.programChannels(&reader) }
        if objectType == 6 || objectType == 20 { reader.skip(3) }
        if isExtended {
            if objectType == 22 { reader.skip(16) }
            if [17, 19, 20, 23].contains(objectType) { reader.skip(3) }
            reader.skip(1)
        }
    }

    /// The start of UsacConfig() (ISO/IEC 23003-3 §5.2).
    private mutating func readUnified(_ reader: inout BitReader) {
        if reader.bits(5) == 31 { reader.skip(24) }
        let lengths = [768, 1024, 2048, 2048, 4096]  // coreSbrFrameLengthIndex
        let index = Int(reader.bits(3))
        frameLength = index < lengths.count ? lengths[index] : 1024
        if channels == 0 { channels = 2 }
    }

    /// The backward compatible signalling of SBR and PS behind the core's configuration.
    private mutating func readExtension(_ reader: inout BitReader) {
        guard reader.remaining >= 16, reader.bits(11) == 0x2B7 else { return }
        let type = Self.objectType(&reader)
        guard type == 5 || type == 22, reader.flag() else { return }
        let rate = Self.samplingRate(&reader)
        guard !reader.overran else { return }
        hasSBR = true
        extensionRate = rate
        if type == 5, reader.remaining >= 12, reader.bits(11) == 0x548 { hasPS = reader.flag() }
    }

    private static func objectType(_ reader: inout BitReader) -> Int {
        let type = Int(reader.bits(5))
        return type == 31 ? 32 + Int(reader.bits(6)) : type
    }

    private static func samplingRate(_ reader: inout BitReader) -> UInt32 {
        let index = Int(reader.bits(4))
        return index == 15 ? reader.bits(24) : index < samplingRates.count ? samplingRates[index] : 0
    }

    /// program_config_element() (§4.4.1.1): the channels it lists, low-frequency ones included. Ends behind its comment.
    static func programChannels(_ reader: inout BitReader) -> Int {
        reader.skip(10)  // tag, object type, sampling index
        let groups = [4, 4, 4, 2, 3, 4].map { Int(reader.bits($0)) }  // front, side, back, low-frequency, data, coupling
        if reader.flag() { reader.skip(4) }  // mono mix-down
        if reader.flag() { reader.skip(4) }  // stereo mix-down
        if reader.flag() { reader.skip(3) }  // matrix mix-down
        var channels = groups[3]
        for _ in 0..<groups[0] + groups[1] + groups[2] where !reader.overran {
            channels += reader.flag() ? 2 : 1
            reader.skip(4)
        }
        reader.skip(groups[3] * 4 + groups[4] * 4 + groups[5] * 5)
        reader.align()
        reader.skip(Int(reader.byte()) * 8)
        return reader.overran ? 0 : channels
    }
}
