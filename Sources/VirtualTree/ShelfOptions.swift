/// The times and bounds of a source's directories.
package struct ShelfOptions: Sendable {
    /// A listing of this age or less is answered from memory without a thought.
    package var timeToLive: Duration = .seconds(60)
    /// From this age on a new listing is waited for, a little.
    package var staleAfter: Duration = .seconds(3600)
    /// How long a new listing is waited for where an old one can be shown.
    package var patience: Duration = .seconds(1)
    /// How long a listing is waited for where there is none to show. The source's own deadline is 28 s; this one stands behind it.
    package var listingDeadline: Duration = .seconds(30)
    /// How long one request that tests a dead origin is waited for.
    package var trialPatience: Duration = .seconds(3)
    package var probeDeadline: Duration = .seconds(30)
    /// Files after the asked one whose sizes are asked for along with it.
    package var probesAhead = 48
    /// Requests for sizes under way at once: six fill the connections of one origin.
    package var probesAtOnce = 6
    package var firstPause: Duration = .seconds(5)
    package var longestPause: Duration = .seconds(60)
    /// Entries of all listings in memory, about 400 bytes each; the least recently used listings go first.
    package var maximumEntries = 500_000

    package init() {}
}
