/// A fragment that `FragmentWriter` made.
package struct Fragment: Hashable, Sendable {
    /// What the index says of a track in a fragment.
    package struct Part: Hashable, Sendable {
        package let track: UInt32
        /// Presentation times after the edit, in ticks of the track's timescale.
        package let earliest: Int64
        package let end: Int64
        package let startsWithSync: Bool
        package let firstSync: Sync?

        /// With the track's part of the next fragment.
        func followed(by next: Part) -> Part {
            Part(
                track: track, earliest: min(earliest, next.earliest), end: max(end, next.end), startsWithSync: startsWithSync, firstSync: firstSync)
        }
    }

    package struct Sync: Hashable, Sendable {
        /// Presentation time after the edit.
        package let time: Int64
        /// Its number in the run, counted from 1.
        package let sample: UInt32
    }

    /// `moof` and the header of `mdat`; the samples' bytes follow, part by part.
    package let header: [UInt8]
    /// Bytes of the samples.
    package let dataSize: UInt64
    package let parts: [Part]

    /// All of it.
    package var size: UInt64 { UInt64(header.count) + dataSize }
}
