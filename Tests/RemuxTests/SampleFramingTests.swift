import Testing

@testable import Remux

@Suite("From frames to samples")
struct SampleFramingTests {
    private let annexB: [UInt8] = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x65, 3]

    @Test("start codes become lengths of four bytes")
    func startCodes() { #expect(SampleFraming.startCodes.sample(annexB) == [0, 0, 0, 3, 0x67, 1, 2, 0, 0, 0, 2, 0x65, 3]) }

    @Test("a frame without a unit is no sample")
    func noUnit() { #expect(SampleFraming.startCodes.sample([0, 0, 0, 0]) == nil) }

    @Test("start codes where lengths should be become lengths of the same size", arguments: [1, 2, 4])
    func wrongly(_ size: Int) {
        let prefix = [UInt8](repeating: 0, count: size - 1)
        #expect(SampleFraming.lengths(size).mayChange(annexB.prefix(4)))
        #expect(SampleFraming.lengths(size).sample(annexB) == prefix + [3, 0x67, 1, 2] + prefix + [2, 0x65, 3])
    }

    @Test("lengths stay as they are", arguments: [1, 2, 4])
    func lengths(_ size: Int) {
        let frame = [UInt8](repeating: 0, count: size - 1) + [2, 0x65, 9]
        #expect(SampleFraming.lengths(size).sample(frame) == frame)
    }

    @Test("a first unit of one or 256 bytes is no start code")
    func shortUnit() {
        let frame: [UInt8] = [0, 0, 0, 1, 9, 0, 0, 0, 2, 0x65, 3]
        #expect(SampleFraming.lengths(4).sample(frame) == frame)
        let long: [UInt8] = [0, 0, 1, 0] + [UInt8](repeating: 7, count: 256)
        #expect(SampleFraming.lengths(4).sample(long) == long)
    }

    @Test("frames that are passed through need not be looked at")
    func passedThrough() {
        #expect(!SampleFraming.asIs.mayChange([0, 0, 0, 1]))
        #expect(!SampleFraming.lengths(4).mayChange([0, 0, 3, 1]))
    }
}
