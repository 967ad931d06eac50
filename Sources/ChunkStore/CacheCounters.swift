internal import Diagnostics

/// What `CacheStatistics` counts.
struct CacheCounters: Sendable {
    let hits = Counter(), misses = Counter(), readBytes = Counter(), written = Counter(), dropped = Counter(), bad = Counter(), evicted = Counter()
}
