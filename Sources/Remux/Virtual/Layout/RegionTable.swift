/// How the source is cut into regions: each one is a `moof` with its `mdat`, and one entry of every track's index.
package struct RegionTable: Sendable {
    package struct Region: Hashable, Sendable {
        /// Where it begins in the source, for its place in the virtual MP4. The frames of a region begin near to it.
        package let nominal: UInt64
        /// The part of the source that it is found from: it begins at `interval`'s entry and is the `part`-th of it.
        package let interval: Int
        package let part: Int
    }

    package let size: VirtualSize
    package let regions: [Region]
    /// Entries into the source, in its order; the first region of each interval begins there.
    let entries: [RegionEntryPoint]
    /// Where the last region ends.
    let end: UInt64

    init(size: VirtualSize, regions: [Region], entries: [RegionEntryPoint]) {
        self.size = size
        self.regions = regions
        self.entries = entries
        end = size.source
    }

    package var count: Int { regions.count }

    /// Where the first region begins in the virtual MP4.
    package var start: UInt64 { size.place(regions.first?.nominal ?? size.source) }

    /// The source offset behind the region's own.
    func nominalEnd(_ index: Int) -> UInt64 { index + 1 < regions.count ? regions[index + 1].nominal : end }

    /// The place of a region in the virtual MP4.
    package func place(_ index: Int) -> Range<UInt64> { size.place(regions[index].nominal)..<size.place(nominalEnd(index)) }

    /// The region that has the byte at `offset` of the virtual MP4; `nil` in header and tail.
    ///
    /// - Complexity: O(log *n*).
    package func index(at offset: UInt64) -> Int? {
        guard offset >= start, offset < size.place(end), !regions.isEmpty else { return nil }
        var low = 0, high = regions.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if size.place(regions[middle].nominal) <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// Whether the regions that `index` begins with are the last of its interval.
    func isLastPart(_ index: Int) -> Bool { index + 1 >= regions.count || regions[index + 1].interval != regions[index].interval }
}

/// A place where the source can be entered.
enum RegionEntryPoint: Hashable, Sendable {
    /// The first frame of the file.
    case start(UInt64)
    /// A cue of Matroska.
    case cue(cluster: UInt64, relative: UInt64?)
    /// Any byte.
    case grid(UInt64)

    /// The place by which regions are laid out; the frame itself is found near to it.
    var nominal: UInt64 {
        switch self {
        case .start(let offset), .grid(let offset): offset
        case .cue(let cluster, let relative): cluster.addingReportingOverflow(relative ?? 0).partialValue
        }
    }
}
