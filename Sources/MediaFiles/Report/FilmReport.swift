internal import Codecs
internal import Remux

/// What a film is, and what an MP4 will carry of it. Encodable as JSON; fields are only ever added.
package struct FilmReport: Hashable, Sendable, Codable {
    package struct Track: Hashable, Sendable, Codable {
        /// Matroska's track number, or the PID.
        package var number: UInt64
        /// `video`, `audio`, `subtitle` or `other`.
        package var kind: String
        package var codec: String
        package var codecID: String
        package var language: String?
        package var name: String?
        package var isDefault: Bool
        package var isForced: Bool
        /// `1920×1080, 23.976 fps`, `48000 Hz, 6 channels`.
        package var details: String
        package var isCarried: Bool
        /// Why it is left out, or as what it goes in.
        package var note: String
    }

    package struct Chapter: Hashable, Sendable, Codable {
        package var seconds: Double
        package var title: String
    }

    package struct Damage: Hashable, Sendable, Codable {
        package var offset: UInt64
        package var lostBytes: UInt64
        package var detail: String
    }

    package var path: String
    package var bytes: UInt64
    package var container: String
    package var title: String?
    package var seconds: Double?
    /// Of the container's index, for people.
    package var index: String
    package var tracks: [Track]
    package var chapters: [Chapter]
    package var hasCover: Bool
    package var attachments: Int
    /// The first places that were found damaged so far; `damageCount` counts all.
    package var damages: [Damage]
    package var damageCount: Int
    /// What else there is to know, for people: what is left out beside tracks, and why; jumps of the clock.
    package var notes: [String]
    /// Whether the whole file was looked through, or only its first part.
    package var isComplete: Bool
    /// Why there is no MP4 of it.
    package var refusal: String?
}

extension FilmReport {
    init(path: String, bytes: UInt64, reader: any FilmReader, plan: RemuxPlan, isComplete: Bool) {
        let details = reader.details
        var notes = details.notes
        let (jumps, firstJump) = reader.jumps
        if let firstJump {
            notes.append("the clock jumps at \(jumps == 1 ? "one place" : "\(jumps) places"), first at \(firstJump); the film goes on without a gap")
        }
        self.init(
            path: path, bytes: bytes, container: details.container, title: details.title,
            seconds: details.duration.map { Double($0) / 1e9 }, index: details.index, tracks: plan.entries.map { Track($0) },
            chapters: details.chapters.map { Chapter(seconds: Double($0.start) / 1e9, title: $0.title) }, hasCover: details.cover != nil,
            attachments: details.attachments,
            damages: reader.damages.map { Damage(offset: $0.offset, lostBytes: $0.lost, detail: $0.detail) }, damageCount: reader.damageCount,
            notes: notes, isComplete: isComplete,
            refusal: plan.refusal?.description)
    }
}

extension FilmReport {
    /// Tracks whose coding changes, which only reading the film to its end can show.
    mutating func describe(changes: some Sequence<(index: Int, descriptions: SampleDescriptions)>) {
        for change in changes { tracks[change.index].note += "; \(change.descriptions.words)" }
    }

    /// Tracks of text that say nothing, which only reading the film to its end can show, do not go in.
    mutating func leaveOut(silent indices: some Sequence<Int>) {
        for index in indices { tracks[index].leaveOut("there is no text in it") }
    }
}

extension FilmReport.Track {
    init(_ entry: RemuxPlan.Entry) {
        let track = entry.track
        let kind =
            switch track.kind {
            case .video: "video"
            case .audio: "audio"
            case .subtitle: "subtitle"
            case .other: "other"
            }
        let note: String
        switch entry.verdict {
        case .carried(let setup):
            note = track.codec.isText ? "goes in as text (\(setup.entryType)), without styling" : "goes in as \(setup.entryType), bit for bit"
        case .left(let reason): note = Self.leftOut("\(reason)")
        }
        self.init(
            number: track.identifier, kind: kind, codec: track.codec.name, codecID: track.codecID, language: track.language, name: track.name,
            isDefault: track.isDefault, isForced: track.isForced, details: Self.details(entry), isCarried: entry.verdict.setup != nil, note: note)
    }

    fileprivate mutating func leaveOut(_ reason: String) {
        isCarried = false
        note = Self.leftOut(reason)
    }

    private static func leftOut(_ reason: String) -> String { "is left out: \(reason)" }

    private static func details(_ entry: RemuxPlan.Entry) -> String {
        if let video = entry.verdict.setup?.video {
            var parts = ["\(video.width)×\(video.height)"]
            let stated = entry.track.frameDuration.map { 1e9 / Double($0) } ?? video.frameRate?.value
            if let stated { parts.append("\((stated * 1000).rounded() / 1000) fps") }
            if video.isInterlaced { parts.append("interlaced") }
            if video.rotation != .none { parts.append("turned by \(video.rotation.rawValue)°") }
            if video.colour?.isHDR ?? false { parts.append("HDR") }
            return parts.joined(separator: ", ")
        }
        if let audio = entry.verdict.setup?.audio {
            return "\(audio.samplingRate) Hz, \(audio.channels) \(audio.channels == 1 ? "channel" : "channels")"
        }
        if let shape = entry.track.video, shape.width > 0 { return "\(shape.width)×\(shape.height)" }
        if let shape = entry.track.audio, shape.samplingRate > 0 { return "\(shape.samplingRate) Hz, \(shape.channels) channels" }
        return ""
    }
}
