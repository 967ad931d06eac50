internal import MP4
internal import Remux

/// What a container says of itself, beside its tracks.
package struct FilmDetails: Sendable {
    /// `Matroska`, `WebM`, `MPEG transport stream`.
    package var container = ""
    package var title: String?
    /// Seconds since 1970.
    package var created: Int64?
    /// Nanoseconds; `nil` when nothing is stated.
    package var duration: UInt64?
    package var chapters: [FilmChapter] = []
    package var cover: FilmCover?
    package var attachments = 0
    /// Of the index, for people.
    package var index = ""
    /// What does not go into an MP4 beside tracks, and why, for people.
    package var notes: [String] = []

    package init() {}
}

package struct FilmChapter: Hashable, Sendable {
    /// Nanoseconds from the film's start.
    package var start: UInt64
    package var title: String
}

package struct FilmCover: Hashable, Sendable {
    package enum Format: Hashable, Sendable { case jpeg, png }
    package var format: Format
    package var offset: UInt64
    package var size: UInt64

    /// Whether an MP4 can have it as its cover, by its first bytes.
    static func isImage(_ start: [UInt8]) -> Bool { MetadataBox.cover(start) != nil }
}

/// Something in the source that could not be understood and was passed over.
package struct FilmDamage: Hashable, Sendable {
    package var offset: UInt64
    /// Bytes that were lost with it.
    package var lost: UInt64
    package var detail: String
}

/// Reads a film from its first frame to its last. One pass each.
protocol FilmReader: AnyObject {
    var tracks: [SourceTrack] { get }
    var details: FilmDetails { get }
    /// Of `MediaFrame.time`.
    var clock: FilmClock { get }
    /// The first that were met so far.
    var damages: [FilmDamage] { get }
    /// All that were met so far.
    var damageCount: Int { get }
    /// Places at which the clock jumped, and the film was made to go on without a gap: how many so far, and the first.
    var jumps: (count: Int, first: UInt64?) { get }
    /// Bytes behind which nothing is read again.
    var position: UInt64 { get }
    /// The next frame in the file's order; `nil` at the end.
    func next() throws(MediaFileError) -> MediaFrame?
}

/// The ticks in which a film's times are counted.
enum FilmClock: Hashable, Sendable {
    /// Nanoseconds, of which the container counts only every `resolution`-th.
    case nanoseconds(resolution: UInt64)
    case rate(Clock)

    /// A time in a track's ticks.
    func ticks(_ time: Int64, of clock: Clock) -> Int64 {
        switch self {
        case .nanoseconds: clock.ticks(nanoseconds: time)
        case .rate(let own): clock.ticks(time, of: own)
        }
    }

    func nanoseconds(_ time: Int64) -> Int64 {
        switch self {
        case .nanoseconds: time
        case .rate(let own): own.nanoseconds(time)
        }
    }

    /// The way back.
    func time(nanoseconds: Int64) -> Int64 {
        switch self {
        case .nanoseconds: nanoseconds
        case .rate(let own): own.ticks(nanoseconds: nanoseconds)
        }
    }

    /// A clock that can tell every time of the film exactly, or nearly.
    var videoClock: Clock {
        switch self {
        case .rate(let own): return own
        case .nanoseconds(let resolution):
            // Finer clocks would leave no room for pauses of seconds in fields of 32 bits.
            guard (1000...1_000_000_000).contains(resolution) else { return Clock(rate: resolution > 1000 ? 90_000 : 1_000_000) }
            if 90_000 * resolution % 1_000_000_000 == 0 { return Clock(rate: 90_000) }
            if 1_000_000_000 % resolution == 0, let rate = UInt32(exactly: 1_000_000_000 / resolution) { return Clock(rate: rate) }
            return Clock(rate: 1_000_000)
        }
    }

    /// Nanoseconds by which a time may be off for being rounded.
    var resolution: Int64 {
        switch self {
        case .nanoseconds(let resolution): Int64(clamping: resolution)
        case .rate(let own): own.nanoseconds(1)
        }
    }
}
