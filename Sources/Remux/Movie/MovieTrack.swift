internal import Codecs
package import MP4

/// A track of the MP4.
package struct MovieTrack: Sendable {
    package var description: TrackDescription
    /// How much later than its presentation a sample's media time is, in ticks of the track: decoding needs it.
    package var delay: Int64
    /// Ticks of sound that a player drops at the start.
    package var skip: UInt32

    /// - Parameters:
    ///   - number: from 1, in the MP4's order.
    ///   - isEnabled: played or shown unless the viewer chooses otherwise.
    package init(_ source: SourceTrack, _ setup: TrackSetup, number: UInt32, clock: Clock, delay: Int64, isEnabled: Bool) {
        let kind: TrackDescription.Kind =
            switch setup.media {
            case .video: .video
            case .audio: .sound
            case .text: .subtitles
            }
        description = TrackDescription(
            id: number, kind: kind, timescale: clock.rate, entries: [SampleEntry(setup)], name: source.name ?? "", isEnabled: isEnabled)
        description.language = TrackLanguage.code(source.language)
        description.languageTag = TrackLanguage.tag(source.language)
        if let video = setup.video {
            let width = Double(video.width) * (video.pixelAspect?.value ?? 1)
            let shown = (width: UInt16(min(65535, max(1, width.rounded()))), height: UInt16(clamping: video.height))
            description.displaySize = (UInt32(shown.width) << 16, UInt32(shown.height) << 16)
            description.matrix = video.rotation.matrix(width: shown.width, height: shown.height)
        }
        if source.isForced { description.roles.append(TrackKindBox(value: "forced-subtitle")) }
        if source.isHearingImpaired { description.roles.append(TrackKindBox(value: "caption")) }
        if source.isCommentary { description.roles.append(TrackKindBox(value: "commentary")) }
        // 80 ms of Opus in packets of 20 ms (Encapsulation of Opus in ISO BMFF §4.3.6.2).
        if setup.entryType == "Opus" { description.rollDistance = -4 }
        self.delay = delay
        skip = UInt32(clamping: setup.audio?.preSkip ?? 0)
    }
}
