import TestSupport

@testable import MP4

/// Bytes from hexadecimal text; blanks, and what follows a `#` on a line, are ignored.
func hex(_ text: String) -> [UInt8] {
    let lines = text.split(separator: "\n").map { $0.prefix { $0 != "#" } }
    let digits = lines.joined().compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// What damage makes of `whole`: each cut, each single bit flipped (of long input some), and several bytes replaced.
func damaged(_ whole: [UInt8], cuts: Int = 300, flips: Int = 600, rounds: Int = 200, use: ([UInt8]) -> Void) {
    var random = RepeatableRandom.forTest()
    for index in 0..<min(whole.count, cuts) {
        use(Array(whole.prefix(whole.count <= cuts ? index : Int.random(in: 0..<whole.count, using: &random))))
    }
    let bits = whole.count * 8
    for bit in 0..<min(bits, flips) {
        var copy = whole
        let place = bits <= flips ? bit : Int.random(in: 0..<bits, using: &random)
        copy[place >> 3] ^= 0x80 >> UInt8(place & 7)
        use(copy)
    }
    guard !whole.isEmpty else { return }
    for _ in 0..<rounds {
        var copy = whole
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let byte: UInt8 = [0, 1, 0x7F, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
            copy[Int.random(in: 0..<copy.count, using: &random)] = byte
        }
        if Bool.random(using: &random) { copy.removeLast(Int.random(in: 0..<copy.count, using: &random)) }
        use(copy)
    }
}

/// Reads the first samples of every track, and gives errors no chance to hide.
func exercise(_ movie: MovieBox, limit: Int = 2000) {
    for track in movie.tracks {
        var samples = TableSamples(track.media.samples)
        var count = 0
        while count < limit, let found = try? samples.next() {
            _ = found.presentationTime
            count += 1
        }
        for entry in track.media.samples.descriptions.entries { _ = entry.children.map { ($0.parsed(as: ColourBox.self), $0.type.description) } }
    }
    _ = try? movie.bytes()
}

/// The boxes of a whole file, one after the other.
func exercise(file bytes: [UInt8], limit: Int = 500) {
    var root = BoxReader(bytes)
    var movie: MovieBox?
    while var box = try? root.child() {
        switch box.type {
        case MovieBox.type:
            movie = try? MovieBox(from: &box)
            if let movie { exercise(movie, limit: limit) }
        case MovieFragmentBox.type:
            guard let fragment = try? MovieFragmentBox(from: &box) else { continue }
            for track in fragment.tracks {
                let extends = movie?.extends?.tracks.first { $0.track == track.header.track }
                guard var samples = try? FragmentSamples(fragment, at: 0, track: track.header.track, extends: extends) else { continue }
                var count = 0
                while count < limit, (try? samples.next()) != nil { count += 1 }
            }
            _ = try? fragment.bytes()
        case SegmentIndexBox.type: _ = try? SegmentIndexBox(from: &box)
        case RandomAccessBox.type: _ = try? RandomAccessBox(from: &box)
        case FileTypeBox.type: _ = try? FileTypeBox(from: &box)
        default: break
        }
    }
}
