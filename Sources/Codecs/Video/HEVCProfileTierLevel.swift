/// The general part of profile_tier_level() (ISO/IEC 23008-2 §7.3.3), as `hvcC` repeats it.
package struct HEVCProfileTierLevel: Hashable, Sendable {
    /// general_profile_space, general_tier_flag, general_profile_idc: 2, 1 and 5 bits.
    package var profile: UInt8
    package var compatibility: UInt32
    /// From general_progressive_source_flag on: 48 bits.
    package var constraints: UInt64
    package var level: UInt8

    package init(profile: UInt8, compatibility: UInt32, constraints: UInt64, level: UInt8) {
        self.profile = profile
        self.compatibility = compatibility
        self.constraints = constraints
        self.level = level
    }

    /// - Parameter subLayers: max_sub_layers_minus1, whose own profiles and levels are passed over.
    init(_ reader: inout BitReader, subLayers: Int) {
        profile = reader.byte()
        compatibility = reader.bits(32)
        constraints = UInt64(reader.bits(24)) << 24 | UInt64(reader.bits(24))
        level = reader.byte()
        guard subLayers > 0 else { return }
        var sizes = 0
        for index in 0..<8 {
            let hasProfile = reader.flag(), hasLevel = reader.flag()
            guard index < subLayers else { continue }
            sizes += (hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)
        }
        reader.skip(sizes)
    }

    /// general_interlaced_source_flag without general_progressive_source_flag.
    package var isInterlaced: Bool { constraints >> 46 & 3 == 1 }
}
