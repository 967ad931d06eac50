import Codecs
import MP4
import Testing

@testable import Remux

@Suite("Tracks of the movie")
struct MovieTrackTests {
    private func track(_ codec: MediaCodec, _ change: (inout SourceTrack) -> Void) throws -> MovieTrack {
        var source = SourceTrack(identifier: 1, kind: codec == .vp8 ? .video : .audio, codec: codec, codecID: "")
        change(&source)
        let plan = RemuxPlan([source], firstFrames: [[0]], searched: 64 << 20)
        let setup = try #require(plan.entries[0].verdict.setup)
        return MovieTrack(source, setup, number: 1, clock: Clock(rate: 48000), delay: 0, isEnabled: true)
    }

    @Test("a turned picture of wide pixels is moved by its size as shown", arguments: [DisplayRotation.quarter, .half, .threeQuarters])
    func turned(_ rotation: DisplayRotation) throws {
        let movie = try track(.vp8) { source in
            var shape = VideoShape()
            (shape.width, shape.height, shape.rotation) = (720, 576, rotation)
            shape.pixelAspect = Ratio(64, 45)
            source.video = shape
        }
        #expect(movie.description.displaySize == (1024 << 16, 576 << 16))
        #expect(movie.description.matrix == rotation.matrix(width: 1024, height: 576))
    }

    @Test("the delay of a decoder is that of the source, in samples; an impossible one traps nothing")
    func codecDelay() throws {
        func skip(_ nanoseconds: UInt64) throws -> UInt32 {
            try track(.aac) {
                $0.privateData = [0x11, 0x90]
                $0.codecDelay = nanoseconds
            }.skip
        }
        #expect(try skip(0) == 0)
        #expect(try skip(21_333_333) == 1024)
        #expect(try skip(42_666_667) == 2048)
        _ = try skip(.max)
    }
}
