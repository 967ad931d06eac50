internal import MP4

/// The descriptions of a track's samples: more than one where its coding changes on the way, as in recordings of broadcasts.
struct SampleDescriptions {
    private(set) var entries: [SampleEntry]
    /// Of the samples that come now; counted from 1.
    private(set) var current: UInt32 = 1
    /// How often the coding changed, and how often that could not be described.
    private(set) var changes = 0, failures = 0

    /// No recording has more; what is made to have more costs players much.
    static let limit = 64
    /// Changes that are followed: each one may end a fragment. No recording has as many.
    static let changeLimit = 1000

    init(_ first: SampleEntry) { entries = [first] }

    /// - Parameters:
    ///   - entry: for the samples that come; `nil` if there can be none in this track.
    ///   - body: is given all descriptions and the number of the current one; answers whether the file has room for them.
    /// - Returns: whether the samples that come are described by `entry`.
    mutating func take(_ entry: SampleEntry?, _ body: ([SampleEntry], UInt32) -> Bool) -> Bool {
        if let entry, entry == entries[Int(current) - 1] { return true }
        changes += 1
        guard let entry, changes <= Self.changeLimit else {
            failures += 1
            return false
        }
        var next = entries
        let place = next.firstIndex(of: entry) ?? next.count
        if place == next.count { next.append(entry) }
        guard next.count <= Self.limit, body(next, UInt32(place + 1)) else {
            failures += 1
            return false
        }
        entries = next
        current = UInt32(place + 1)
        return true
    }

    /// For people.
    var words: String {
        let times = changes == 1 ? "once" : "\(changes) times"
        let told = entries.count > 1 ? ": the MP4 describes \(entries.count) codings" : ""
        guard failures > 0 else { return "its coding changes \(times) on the way\(told)" }
        let lost = failures == 1 ? "one of the changes" : "\(failures) of the changes"
        return "its coding changes \(times) on the way\(told); \(lost) cannot be described in an MP4, and what follows may not play"
    }
}
