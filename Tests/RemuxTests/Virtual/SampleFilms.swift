import TestSupport

extension FilmWriter {
    /// A film of pictures and sound in the usual order of a file.
    ///
    /// - Parameters:
    ///   - gop: pictures from one keyframe to the next.
    ///   - key: bytes of a keyframe; `picture`: of the others, a third more or less.
    static func film(
        seconds: Int, gop: Int = 50, key: Int = 20_000, picture: Int = 5_000, sound: Int = 400, hasText: Bool = false, seed: UInt64 = 7
    ) -> FilmWriter {
        var random = RepeatableRandom(seed: seed)
        var film = FilmWriter()
        var nextSound = 0
        // Each frame has its own first and last bytes; making all of them by chance would take longer than the tests.
        func bytes(_ count: Int) -> [UInt8] {
            let mark = random.bytes(8)
            return Array((mark + [UInt8](repeating: mark[0], count: max(0, count - 16)) + mark.reversed()).prefix(max(1, count)))
        }
        for index in 0..<seconds * 25 {
            let time = index * 40
            while Int((Double(nextSound) * 1024 / 48).rounded()) <= time, sound > 0 {
                film.frames.append(
                    Frame(track: 2, time: Int((Double(nextSound) * 1024 / 48).rounded()), isKey: true, bytes: bytes(sound + nextSound % 7)))
                nextSound += 1
            }
            let isKey = index % gop == 0
            let size = isKey ? key : picture - picture / 3 + Int(random.next() % UInt64(max(1, picture * 2 / 3)))
            if hasText, index % 50 == 10 { film.frames.append(Frame(track: 3, time: time, isKey: true, bytes: Array("Line \(index)".utf8))) }
            film.frames.append(Frame(track: 1, time: time, isKey: isKey, bytes: bytes(size)))
        }
        return film
    }
}
