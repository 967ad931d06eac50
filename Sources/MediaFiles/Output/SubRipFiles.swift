internal import Remux

/// The text subtitles of a film as SubRip files: made in memory, as text is small, and written when the film was read whole.
struct SubRipFiles {
    private struct Track {
        var name: String
        var writer = SubRipWriter()
        var text = ""
        /// A subtitle without an end is shown until the next one.
        var open: (start: Int64, text: String)?
    }

    private let stem: String
    private let codecs: [MediaCodec]
    private var tracks: [Int: Track] = [:]
    /// Subtitles of a whole series fit into this; more is no subtitle.
    private var room = 64 << 20

    /// - Parameters:
    ///   - stem: the path in front of `.LANG.srt`.
    ///   - chosen: indices of the text tracks to write.
    init(stem: String, tracks all: [SourceTrack], chosen: [Int]) {
        self.stem = stem
        codecs = all.map(\.codec)
        var used: Set<String> = []
        for index in chosen {
            let language = (all[index].language ?? "und").filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            // Tags of BCP 47 have at most 35 characters that mean something here (RFC 5646 §4.4.1).
            let mark = (language.isEmpty ? "und" : String(language.prefix(35))) + (all[index].isForced ? ".forced" : "")
            var name = mark, number = 2
            while !used.insert(name).inserted {
                name = "\(mark).\(number)"
                number += 1
            }
            tracks[index] = Track(name: name)
        }
    }

    /// Times in milliseconds.
    mutating func take(track: Int, start: Int64, duration: Int64?, frame: ArraySlice<UInt8>) {
        guard var state = tracks[track], room > 0 else { return }
        let text = codecs[track].text(of: frame)
        if let open = state.open { state.text += state.writer.cue(start: open.start, end: max(start, open.start + 1), text: open.text) }
        state.open = nil
        if let duration, duration > 0 {
            state.text += state.writer.cue(start: start, end: start + duration, text: text)
        } else {
            state.open = (start, text)
        }
        room -= text.utf8.count + 40
        tracks[track] = state
    }

    var isEmpty: Bool { tracks.isEmpty }

    /// Paths that `write` writes to, sorted by track.
    var paths: [String] { tracks.sorted { $0.key < $1.key }.map { path($0.value) } }

    private func path(_ track: Track) -> String { "\(stem).\(track.name).srt" }

    /// Tracks that never said a word: no file is written for them.
    var silent: [Int] { tracks.keys.filter { whole($0).isEmpty }.sorted() }

    private func whole(_ index: Int) -> String {
        guard var track = tracks[index] else { return "" }
        guard let open = track.open else { return track.text }
        return track.text + track.writer.cue(start: open.start, end: open.start + 5000, text: open.text)
    }

    /// - Returns: the files, written and without their names.
    func write(replaces: Bool) throws(MediaFileError) -> [OutputFile] {
        var written: [OutputFile] = []
        for (index, track) in tracks.sorted(by: { $0.key < $1.key }) {
            let text = whole(index)
            guard !text.isEmpty else { continue }
            let file = try OutputFile(path: path(track), replaces: replaces)
            try file.append(Array(text.utf8))
            try file.sync()
            written.append(file)
        }
        return written
    }

    /// Gives all files their names, or none.
    static func finish(_ files: [OutputFile]) throws(MediaFileError) {
        for (index, file) in files.enumerated() {
            do throws(MediaFileError) { try file.finish() } catch {
                for done in files.prefix(index) { done.withdraw() }
                throw error
            }
        }
    }
}
