internal import Bytes

/// A sample of MP4's `tx3g` (3GPP TS 26.245 §5.17): a length in two bytes, then UTF-8.
package enum TimedTextSample {
    /// Text too long for the length is cut before a character.
    package static func payload(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for character in text {
            let part = Array(String(character).utf8)
            guard bytes.count + part.count <= 65535 else { break }
            bytes += part
        }
        var result: [UInt8] = []
        result.append(bigEndian: UInt16(bytes.count))
        return result + bytes
    }

    /// Nothing is shown: the gap between two subtitles.
    package static let empty: [UInt8] = [0, 0]

    /// The text of a sample; `nil` if it is cut short.
    package static func text(_ payload: [UInt8]) -> String? {
        var reader = BigEndianReader(payload)
        let bytes = reader.bytes(Int(reader.u16()))
        return reader.overran ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
