internal import Bytes

/// ES_Descriptor (ISO/IEC 14496-1 §7.2.6.5) of MP4's `esds` box: which MPEG codec, and its configuration.
package struct ElementaryStreamDescriptor: Hashable, Sendable, DecoderConfiguration {
    /// objectTypeIndication (ISO/IEC 14496-1 table 5 and the registration authority's list).
    package struct ObjectType: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let mpeg4Video = ObjectType(rawValue: 0x20)
        package static let mpeg4Audio = ObjectType(rawValue: 0x40)
        package static let mpeg2MainVideo = ObjectType(rawValue: 0x61)
        package static let mpeg2Audio = ObjectType(rawValue: 0x69)
        package static let mpeg1Video = ObjectType(rawValue: 0x6A)
        package static let mpeg1Audio = ObjectType(rawValue: 0x6B)

        /// streamType (table 6): 4 visual, 5 audio.
        var streamType: UInt8 { [0x40, 0x66, 0x67, 0x68, 0x69, 0x6B].contains(rawValue) ? 5 : 4 }
    }

    package var objectType: ObjectType
    package var bufferSize: UInt32 = 0
    package var maximumBitrate: UInt32 = 0
    package var averageBitrate: UInt32 = 0
    /// DecoderSpecificInfo; empty when the frames say all, as in MP3.
    package var specific: [UInt8]

    package init(objectType: ObjectType, specific: [UInt8], bufferSize: UInt32 = 0, maximumBitrate: UInt32 = 0, averageBitrate: UInt32 = 0) {
        self.objectType = objectType
        self.specific = specific
        self.bufferSize = bufferSize
        self.maximumBitrate = maximumBitrate
        self.averageBitrate = averageBitrate
    }

    /// From the payload of an `esds` box.
    package init(payload: [UInt8]) throws(CodecError) {
        var reader = BigEndianReader(payload)
        reader.skip(4)  // version, flags
        guard let stream = Self.open(&reader, tag: 3) else { throw CodecError(.malformed, "esds: no ES descriptor") }
        var inner = BigEndianReader(payload, range: stream)
        inner.skip(2)  // ES_ID
        let flags = inner.u8()
        if flags & 0x80 != 0 { inner.skip(2) }
        if flags & 0x40 != 0 { inner.skip(Int(inner.u8())) }
        if flags & 0x20 != 0 { inner.skip(2) }
        guard let decoder = Self.open(&inner, tag: 4) else { throw CodecError(.malformed, "esds: no decoder configuration") }
        var config = BigEndianReader(payload, range: decoder)
        objectType = ObjectType(rawValue: config.u8())
        config.skip(1)
        bufferSize = config.u24()
        maximumBitrate = config.u32()
        averageBitrate = config.u32()
        guard !config.overran else { throw CodecError(.truncated, "esds: decoder configuration") }
        specific = Self.open(&config, tag: 5).map { Array(payload[$0]) } ?? []
    }

    /// The content of the next descriptor if it has this tag (§8.3.3: sizes in up to four groups of 7 bits).
    private static func open(_ reader: inout BigEndianReader, tag: UInt8) -> Range<Int>? {
        guard reader.u8() == tag else { return nil }
        var size = 0
        for _ in 0..<4 {
            let byte = reader.u8()
            size = size << 7 | Int(byte & 0x7F)
            if byte & 0x80 == 0 { break }
        }
        return reader.range(size)
    }

    package var boxType: String { "esds" }

    package var boxPayload: [UInt8] {
        var decoder: [UInt8] = [objectType.rawValue, objectType.streamType << 2 | 1]
        decoder.append(bigEndian24: min(bufferSize, 0xFF_FFFF))
        decoder.append(bigEndian: maximumBitrate)
        decoder.append(bigEndian: averageBitrate)
        if !specific.isEmpty { decoder += Self.descriptor(5, specific) }
        // ES_ID 0 and predefined SL configuration 2, as ISO/IEC 14496-14 §3.1.2 has them in files.
        return [0, 0, 0, 0] + Self.descriptor(3, [0, 0, 0] + Self.descriptor(4, decoder) + Self.descriptor(6, [2]))
    }

    private static func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let size = content.count
        let sizes = [21, 14, 7].map { UInt8(truncatingIfNeeded: size >> $0) | 0x80 } + [UInt8(truncatingIfNeeded: size & 0x7F)]
        return [tag] + sizes + content
    }
}
