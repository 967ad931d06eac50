package import Bytes

/// An MP4 that is computed from a film: its size, and for each byte where it comes from. `VirtualOpening` makes one. It never
/// reads; `build` says what it needs.
package struct VirtualMovie: Sendable {
    enum Source: Sendable {
        case matroska(MatroskaSource)
        case transport(TransportSource)
    }

    /// What has the byte at an offset.
    package enum Place: Hashable, Sendable {
        /// In `header`, at the same offset.
        case header
        case region(Int)
        /// In `tail`, so far from its start.
        case tail(UInt64)
    }

    package let regions: RegionTable
    /// Everything before the first region; nothing of it is read from the source.
    package let header: VirtualLayout
    package var tail: VirtualLayout { VirtualHeader.tail }
    /// How seeks find their way: `cues`, or `grid`.
    package let mode: Mode
    /// Nanoseconds.
    package let duration: UInt64
    /// What became of the source's tracks.
    package let plan: RemuxPlan
    let source: Source
    let writer: RegionWriter

    package enum Mode: String, Hashable, Sendable {
        /// Regions begin at keyframes, by the source's index.
        case cues
        /// The source has no index, or a wrong one: regions of equal size.
        case grid
    }

    package var size: UInt64 { regions.size.total }

    /// - Returns: `nil` at and past the end.
    /// - Complexity: O(log *n*) for *n* regions.
    package func place(of offset: UInt64) -> Place? {
        guard offset < size else { return nil }
        if offset < regions.start { return .header }
        if let index = regions.index(at: offset) { return .region(index) }
        return .tail(offset - (size - VirtualSize.tail))
    }

    /// - Parameter checkpoint: what the region before answered, if it is at hand.
    package func build(_ region: Int, from checkpoint: RegionBuild.Checkpoint? = nil) -> RegionBuild {
        RegionBuild(region, movie: self, from: checkpoint)
    }

    /// The part of the source that a region's bytes come from, about: what to read at once.
    package func expected(_ region: Int) -> FileRange {
        FileRange(offset: regions.regions[region].nominal, end: regions.nominalEnd(region))
    }
}
