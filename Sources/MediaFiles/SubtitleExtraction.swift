internal import Remux

/// `reelfs subtitles`: the text tracks of a film as SubRip files.
package enum SubtitleExtraction {
    package struct Result: Hashable, Sendable {
        package var paths: [String]
        /// Subtitle tracks that are not text, and why.
        package var leftOut: [String]
    }

    /// - Parameters:
    ///   - directory: `nil`: beside the film.
    ///   - onProgress: bytes looked through, bytes in all.
    package static func run(
        path: String, directory: String?, replaces: Bool, isCancelled: () -> Bool, onProgress: (UInt64, UInt64) -> Void
    ) throws(MediaFileError) -> Result {
        let file = try InputFile(path: path)
        let reader = try Film.open(file)
        var chosen: [Int] = [], leftOut: [String] = []
        for (index, track) in reader.tracks.enumerated() where track.kind == .subtitle {
            switch track.obstacle {
            case .encrypted(let how): leftOut.append("track \(track.identifier) is encrypted (\(how))")
            case .unreadable(let what): leftOut.append("track \(track.identifier) cannot be restored: \(what)")
            case nil where track.codec.isText: chosen.append(index)
            case nil: leftOut.append("track \(track.identifier) is no text: \(track.codec.name)")
            }
        }
        let name = FileName.stem(path.split(separator: "/").last.map(String.init) ?? path)
        let place = directory ?? FileName.directory(path)
        var files = SubRipFiles(stem: place + "/" + name, tracks: reader.tracks, chosen: chosen)
        guard !files.isEmpty else { return Result(paths: [], leftOut: leftOut) }
        for path in files.paths { try OutputFile.check(path: path, replaces: replaces) }
        var reported: UInt64 = 0
        while let frame = try reader.next() {
            if let time = frame.time, reader.tracks[frame.track].kind == .subtitle {
                files.take(
                    track: frame.track, start: reader.clock.nanoseconds(time) / 1_000_000,
                    duration: frame.duration.map { reader.clock.nanoseconds($0) / 1_000_000 }, frame: frame.bytes)
            }
            guard reader.position > reported + 8 << 20 else { continue }
            reported = reader.position
            onProgress(reported, file.size)
            if isCancelled() { throw MediaFileError(.cancelled, path: path, "stopped") }
        }
        for index in files.silent { leftOut.append("track \(reader.tracks[index].identifier) has no text") }
        let written = try files.write(replaces: replaces)
        try SubRipFiles.finish(written)
        return Result(paths: written.map(\.path), leftOut: leftOut)
    }
}

/// Parts of paths.
enum FileName {
    /// Without its last extension: `film.mkv` → `film`.
    static func stem(_ path: String) -> String {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path[start...].lastIndex(of: "."), dot > start else { return path }
        return String(path[..<dot])
    }

    static func directory(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
