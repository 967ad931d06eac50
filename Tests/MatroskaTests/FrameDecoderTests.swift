import CZlib
import TestSupport
import Testing

@testable import Matroska

@Suite("Content encodings (RFC 9559 §5.1.4.1.31)") struct FrameDecoderTests {
    private func encoding(
        order: UInt64 = 0, scope: UInt64 = 1, type: UInt64 = 0, algorithm: UInt64, settings: [UInt8] = []
    ) -> [UInt8] {
        let kind =
            type == 1
            ? EBML.master(.contentEncryption, EBML.unsigned(.contentEncAlgo, algorithm))
            : EBML.master(.contentCompression, EBML.unsigned(.contentCompAlgo, algorithm), EBML.binary(.contentCompSettings, settings))
        return EBML.master(
            .contentEncoding, EBML.unsigned(.contentEncodingOrder, order), EBML.unsigned(.contentEncodingScope, scope),
            EBML.unsigned(.contentEncodingType, type), kind)
    }

    private func decoder(_ encodings: [UInt8]..., codecPrivate: [UInt8] = [50], limit: Int = 100) throws -> FrameDecoder {
        let bytes =
            EBML.unsigned(.trackNumber, 1) + EBML.text(.codecID, "S_TEXT/UTF8") + EBML.binary(.codecPrivate, codecPrivate)
            + EBML.master(.contentEncodings, Array(encodings.joined()))
        var limits = MatroskaLimits()
        limits.inflatedBytes = limit
        let body = ElementBody(id: .trackEntry, bytes: bytes[...], position: 0, path: [.trackEntry])
        return FrameDecoder(try Track(body), limits: limits)
    }

    @Test("no encoding: the frame as it is stored")
    func plain() throws {
        let decoder = try decoder()
        #expect(decoder.method == .copy && decoder.size(ofStored: 7) == 7)
        #expect(try decoder.frame([1, 2], at: 0) == [1, 2])
        #expect(try decoder.codecPrivate() == [50])
    }

    @Test("header stripping: the bytes come back in front, and the size is known without reading")
    func stripping() throws {
        let decoder = try decoder(encoding(algorithm: 3, settings: [0x0B, 0x77]))
        #expect(decoder.method == .prepend([0x0B, 0x77]))
        #expect(decoder.size(ofStored: 5) == 7 && decoder.size(ofStored: .max) == .max)
        #expect(try decoder.frame([1], at: 0) == [0x0B, 0x77, 1])
        #expect(try decoder.codecPrivate() == [50], "frames only")
    }

    @Test("zlib: the size needs the payload, and the private data is inflated where the scope says so")
    func zlib() throws {
        let decoder = try decoder(encoding(scope: 3, algorithm: 0), codecPrivate: deflated([50, 50]))
        #expect(decoder.method == .inflate && decoder.size(ofStored: 5) == nil)
        #expect(try decoder.frame(deflated([1, 2])[...], at: 0) == [1, 2])
        #expect(try decoder.frame((deflated([1, 2]) + [0, 0])[...], at: 0) == [1, 2], "padded")
        #expect(try decoder.frame(deflated([])[...], at: 0) == [])
        #expect(try decoder.codecPrivate() == [50, 50])
    }

    @Test("encodings are undone from the highest order down")
    func order() throws {
        // Written: the header is stripped (0), then the rest compressed (1).
        let decoder = try decoder(encoding(order: 0, algorithm: 3, settings: [9]), encoding(order: 1, algorithm: 0))
        #expect(decoder.method == .inflate)
        #expect(try decoder.frame(deflated([1, 1])[...], at: 0) == [9, 1, 1])
        let twice = try self.decoder(encoding(order: 0, algorithm: 3, settings: [1]), encoding(order: 1, algorithm: 3, settings: [2]))
        #expect(twice.method == .prepend([1, 2]))
        #expect(try twice.frame([3], at: 0) == [1, 2, 3])
    }

    @Test("large frames come back, whatever their size", arguments: [1, 4095, 4096, 4097, 12_288, 1_000_000, 3_333_333])
    func largeFrames(count: Int) throws {
        let decoder = try decoder(encoding(algorithm: 0), limit: count)
        var random = RepeatableRandom.forTest(fallback: 8)
        for bytes in [random.bytes(count), [UInt8](repeating: 7, count: count)] {
            #expect(try Octets(decoder.frame(deflated(bytes)[...], at: 0)) == Octets(bytes[...]))
        }
    }

    @Test("a frame inflates to 8 MiB at most")
    func standardLimit() throws {
        let decoder = try decoder(encoding(algorithm: 0), limit: MatroskaLimits().inflatedBytes)
        #expect(try decoder.frame(deflated([UInt8](repeating: 0, count: 8 << 20))[...], at: 0).count == 8 << 20)
        let bomb = deflated([UInt8](repeating: 0, count: (8 << 20) + 1))
        #expect(throws: MatroskaError.self) { try decoder.frame(bomb[...], at: 0) }
    }

    @Test("damaged, cut, or more than the limit after inflating: an error with the place")
    func limit() throws {
        let decoder = try decoder(encoding(algorithm: 0), limit: 5000)
        let good = deflated([UInt8](repeating: 1, count: 5000)), bomb = deflated([UInt8](repeating: 1, count: 5001))
        #expect(try decoder.frame(good[...], at: 0).count == 5000)
        #expect(throws: MatroskaError(.inflateFailed, path: "Segment.Cluster.Block", offset: 40, detail: "\(bomb.count) bytes")) {
            try decoder.frame(bomb[...], at: 40)
        }
        for count in 0..<good.count {
            #expect(throws: MatroskaError.self, "cut at \(count)") { try decoder.frame(good.prefix(count), at: 0) }
        }
        for index in good.indices {
            var bad = good
            bad[index] ^= 0x10
            let result = try? decoder.frame(bad[...], at: 0)
            // The checksum at the stream's end sees every change of the bytes; a few bits of its head mean nothing.
            #expect(result == nil || result?.count == 5000, "byte \(index)")
        }
    }

    @Test("a track with encodings without end is refused")
    func tooMany() throws {
        #expect(throws: MatroskaError.self) { try decoder(Array(repeatElement(encoding(algorithm: 0), count: 9).joined())) }
    }

    @Test("encryption and other compressions are named")
    func unsupported() throws {
        #expect(try decoder(encoding(algorithm: 2)).method == .unsupported("compression 2"))
        #expect(try decoder(encoding(type: 1, algorithm: 5)).method == .unsupported("encryption 5"))
        #expect(try decoder(encoding(type: 7, algorithm: 0)).method == .unsupported("content encoding of type 7"))
        let decoder = try decoder(encoding(type: 1, algorithm: 5))
        #expect(throws: MatroskaError.self) { try decoder.frame([1], at: 0) }
    }
}

/// Bytes in the zlib format.
func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(uLong(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
        let status = compress(buffer.baseAddress, &count, bytes, uLong(bytes.count))
        precondition(status == Z_OK, "compress: \(status)")
        filled = Int(count)
    }
}
