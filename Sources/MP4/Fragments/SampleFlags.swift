/// What is said of a sample in fragments (ISO/IEC 14496-12 §8.8.3.1).
package struct SampleFlags: Hashable, Sendable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Depends on no other sample.
    package static let sync = SampleFlags(rawValue: 0x0200_0000)
    /// Depends on others, and decoding cannot start at it.
    package static let dependent = SampleFlags(rawValue: 0x0101_0000)

    /// Decoding can start at the sample: sample_is_non_sync_sample is not set.
    package var isSync: Bool { rawValue & 0x1_0000 == 0 }
}
