import Remux
import Testing

@testable import MediaFiles

/// A film without a file: frames as they are asked for.
private final class MadeReader: FilmReader {
    let tracks: [SourceTrack]
    let details = FilmDetails()
    let clock = FilmClock.nanoseconds(resolution: 1_000_000)
    let damages: [FilmDamage] = []
    let damageCount = 0
    let jumps: (count: Int, first: UInt64?) = (0, nil)
    private(set) var position: UInt64 = 0
    private(set) var told = 0
    private let frames: Int
    private let make: (Int) -> (track: Int, size: Int, position: UInt64)
    private let content: [UInt8]

    init(tracks: Int, frames: Int, frameBytes: Int, _ make: @escaping (Int) -> (track: Int, size: Int, position: UInt64)) {
        self.tracks = (0..<tracks).map { SourceTrack(identifier: UInt64($0), kind: .audio, codec: .ac3, codecID: "") }
        self.frames = frames
        self.make = make
        content = [UInt8](repeating: 7, count: frameBytes)
    }

    func next() throws(MediaFileError) -> MediaFrame? {
        guard told < frames else { return nil }
        let frame = make(told)
        told += 1
        position = frame.position
        return MediaFrame(track: frame.track, time: Int64(told), isKeyframe: true, bytes: content.prefix(frame.size))
    }
}

@Suite("The look into a film's first part") struct HeadProbeTests {
    @Test("a frame costs the same however many tracks there are")
    func tinyFrames() throws {
        let reader = MadeReader(tracks: 256, frames: 400_000, frameBytes: 1) { ($0 % 255, 1, UInt64($0)) }
        let start = ContinuousClock.now
        let probe = try HeadProbe(reader) { false }
        // A fifth of a second; with a look at every track for every frame, half a minute.
        #expect(ContinuousClock.now - start < .seconds(8))
        #expect(probe.searched == nil && reader.told == 400_000)
        #expect(probe.firstFrames.count { $0 != nil } == 255)
    }

    @Test("first frames take no more memory than is set for all of them, and each track still has the start of its own")
    func largeFrames() throws {
        let probe = try HeadProbe(MadeReader(tracks: 256, frames: 256, frameBytes: 2 << 20) { ($0, 2 << 20, 1) }) { false }
        let sizes = probe.firstFrames.map { $0?.count ?? 0 }
        #expect(sizes.first == 1 << 20)
        #expect(sizes.min() == 16 << 10)
        #expect(sizes.reduce(0, +) <= (32 << 20) + 256 * (16 << 10))
    }

    @Test("it ends as soon as all tracks are known, and at 64 MiB, behind which no frame is taken")
    func ends() throws {
        let early = MadeReader(tracks: 3, frames: 100, frameBytes: 1) { ($0 % 3, 1, 5) }
        #expect(try HeadProbe(early, isCancelled: { false }).searched == 5)
        #expect(early.told == 3)
        let late = MadeReader(tracks: 2, frames: 100, frameBytes: 1) { ($0 < 10 ? 0 : 1, 1, UInt64($0) * (8 << 20)) }
        let probe = try HeadProbe(late) { false }
        #expect(probe.searched == 64 << 20 && late.told == 10)
        #expect(probe.firstFrames.map { $0 != nil } == [true, false])
    }

    @Test("it is stopped at the next frame")
    func stopped() {
        let reader = MadeReader(tracks: 2, frames: 100, frameBytes: 1) { _ in (0, 1, 5) }
        let error = #expect(throws: MediaFileError.self) { try HeadProbe(reader) { true } }
        #expect(error?.code == .cancelled && reader.told == 1)
    }
}
