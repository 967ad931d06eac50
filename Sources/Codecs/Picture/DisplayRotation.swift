/// Clockwise turns that a player applies to the picture.
package enum DisplayRotation: Int, Hashable, Sendable {
    case none = 0, quarter = 90, half = 180, threeQuarters = 270

    /// From any whole number of degrees clockwise that is a multiple of 90; others cannot be carried exactly.
    package init?(degrees: Double) {
        guard degrees.isFinite, abs(degrees) <= 3600, degrees.rounded() == degrees, Int(degrees) % 90 == 0 else { return nil }
        self.init(rawValue: ((Int(degrees) % 360) + 360) % 360)
    }

    /// The transformation of `tkhd` (ISO/IEC 14496-12 §6.2.2): a, b, u, c, d, v, x, y, w; 16.16 fixed point, u v w 2.30. The
    /// picture, `width` × `height` as `tkhd` has them, is moved back to where x and y are not negative.
    package func matrix(width: UInt16, height: UInt16) -> [Int32] {
        let one: Int32 = 0x10000
        let x = Int32(width) << 16, y = Int32(height) << 16
        return switch self {
        case .none: [one, 0, 0, 0, one, 0, 0, 0, 0x4000_0000]
        case .quarter: [0, one, 0, -one, 0, 0, y, 0, 0x4000_0000]
        case .half: [-one, 0, 0, 0, -one, 0, x, y, 0x4000_0000]
        case .threeQuarters: [0, -one, 0, one, 0, 0, 0, x, 0x4000_0000]
        }
    }
}
