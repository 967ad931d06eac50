internal import Bytes

/// The descriptors of an elementary stream that say what it is (ISO/IEC 13818-1 §2.6, ETSI EN 300 468 §6).
struct Descriptors: Hashable, Sendable {
    /// Three letters of ISO 639-2 (tag 0x0A, §2.6.18), small; of subtitles also from their own descriptors.
    var language: String?
    /// audio_type of the language descriptor (table 2-60).
    var audioType: UInt8?
    /// format_identifier of the registration descriptor (0x05, §2.6.8): four ASCII characters.
    var registration: String?
    var tags: Set<UInt8> = []
    /// Extension tags of DVB (0x7F).
    var extensions: Set<UInt8> = []
    /// channel_config_code of Opus (extension 0x80).
    var opusChannels: UInt8?

    init(_ bytes: some Collection<UInt8>) {
        var reader = BigEndianReader(Array(bytes))
        while reader.remaining >= 2 {
            let tag = reader.u8(), body = reader.bytes(Int(reader.u8()))
            guard !reader.overran else { break }
            tags.insert(tag)
            switch tag {
            case 0x05 where body.count >= 4: registration = Self.text(body[..<4])
            case 0x0A where body.count >= 4:
                if language == nil { language = Self.language(body[..<3]) }
                audioType = audioType ?? body[3]
            case 0x59 where body.count >= 3, 0x56 where body.count >= 3:
                if language == nil { language = Self.language(body[..<3]) }
            case 0x7F where !body.isEmpty:
                extensions.insert(body[0])
                if body[0] == 0x80, body.count >= 2 { opusChannels = body[1] }
            default: break
            }
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Nothing but letters is a language.
    private static func language(_ bytes: ArraySlice<UInt8>) -> String? {
        let small = bytes.map { $0 | 0x20 }
        return small.allSatisfy { (0x61...0x7A).contains($0) } ? String(decoding: small, as: UTF8.self) : nil
    }
}
