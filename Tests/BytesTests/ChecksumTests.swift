import CLinux
import Testing

@testable import Bytes

@Suite struct ChecksumTests {
    @Test("CRC32C gives the check values of RFC 3720 appendix B.4")
    func knownValues() {
        func crc(_ bytes: [UInt8]) -> UInt32 {
            var crc = CRC32C()
            bytes.withUnsafeBytes { crc.update($0) }
            return crc.value
        }
        #expect(crc([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(crc([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(crc((0..<32).map { UInt8($0) }) == 0x46DD_794E)
        #expect(crc(Array("123456789".utf8)) == 0xE306_9283)
    }

    @Test("the instruction and the table agree, whole and in pieces")
    func agree() {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        bytes.withUnsafeBytes { whole in
            // Around the lengths from which stretches are taken side by side.
            for count in [0, 1, 7, 8, 9, 63, 64, 1000, 3071, 3072, 3080, 24575, 24576, 24577, 27648, 65536, 100_000] {
                let expected = reelfs_crc32c_by_table(0, whole.baseAddress, count)
                #expect(reelfs_crc32c(0, whole.baseAddress, count) == expected)
                var pieces = CRC32C()
                for start in stride(from: 0, to: count, by: 4013) {
                    pieces.update(UnsafeRawBufferPointer(rebasing: whole[start..<min(count, start + 4013)]))
                }
                #expect(pieces.value == expected)
            }
        }
    }

    @Test("a stable hash keeps its value for ever and separates its parts")
    func stableHash() {
        var hash = StableHash()
        #expect(hash.value == 0xEFD0_1F60_BA99_2926)
        hash.combine("ab")
        hash.combine("c")
        var other = StableHash()
        other.combine("a")
        other.combine("bc")
        #expect(hash.value != other.value)
    }

    @Test("percent-encoding comes back as it was", arguments: ["", "a b", "100%", "中文 名.mkv", "#%?[]", "+/\\"])
    func percentCoding(text: String) {
        #expect(PercentCoding.decode(PercentCoding.encodeSegment(text.utf8)) == Array(text.utf8))
        #expect(PercentCoding.decode("%zz%4") == Array("%zz%4".utf8))
        #expect(PercentCoding.decode("%E4%B8%AD%ff") == [0xE4, 0xB8, 0xAD, 0xFF])
    }
}
