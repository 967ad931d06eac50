/// The Colour element of a video track (RFC 9559 §5.1.4.1.28.16). Numbers of matrix, transfer and primaries are those of
/// ITU-T H.273; 2 is unspecified.
package struct Colour: Hashable, Sendable {
    package var matrix: UInt64 = 2, transfer: UInt64 = 2, primaries: UInt64 = 2
    /// 0 unspecified, 1 broadcast, 2 full, 3 by matrix and transfer.
    package var range: UInt64 = 0
    /// 0 is unspecified.
    package var bitsPerChannel: UInt64 = 0
    package var chromaSubsamplingHorizontal: UInt64?, chromaSubsamplingVertical: UInt64?
    package var cbSubsamplingHorizontal: UInt64?, cbSubsamplingVertical: UInt64?
    /// 0 unspecified, 1 left or top, 2 half.
    package var chromaSitingHorizontal: UInt64 = 0, chromaSitingVertical: UInt64 = 0
    /// Candela per square metre.
    package var maxContentLight: UInt64?, maxFrameAverageLight: UInt64?
    package var mastering: MasteringMetadata?

    init(_ body: ElementBody) throws(MatroskaError) {
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .matrixCoefficients: matrix = try child.unsigned(2)
            case .transferCharacteristics: transfer = try child.unsigned(2)
            case .primaries: primaries = try child.unsigned(2)
            case .range: range = try child.unsigned()
            case .bitsPerChannel: bitsPerChannel = try child.unsigned()
            case .chromaSubsamplingHorz: chromaSubsamplingHorizontal = try child.unsigned()
            case .chromaSubsamplingVert: chromaSubsamplingVertical = try child.unsigned()
            case .cbSubsamplingHorz: cbSubsamplingHorizontal = try child.unsigned()
            case .cbSubsamplingVert: cbSubsamplingVertical = try child.unsigned()
            case .chromaSitingHorz: chromaSitingHorizontal = try child.unsigned()
            case .chromaSitingVert: chromaSitingVertical = try child.unsigned()
            case .maxCLL: maxContentLight = try child.unsigned()
            case .maxFALL: maxFrameAverageLight = try child.unsigned()
            case .masteringMetadata: mastering = try MasteringMetadata(child)
            default: break
            }
        }
    }
}

/// The display a film was graded on (SMPTE 2086; RFC 9559 §5.1.4.1.28.30): CIE 1931 coordinates, and candela per square metre.
package struct MasteringMetadata: Hashable, Sendable {
    package struct Point: Hashable, Sendable {
        package var x: Double?
        package var y: Double?
    }

    package var red = Point(), green = Point(), blue = Point(), white = Point()
    package var luminanceMax: Double?, luminanceMin: Double?

    init(_ body: ElementBody) throws(MatroskaError) {
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .primaryRChromaticityX: red.x = try child.float()
            case .primaryRChromaticityY: red.y = try child.float()
            case .primaryGChromaticityX: green.x = try child.float()
            case .primaryGChromaticityY: green.y = try child.float()
            case .primaryBChromaticityX: blue.x = try child.float()
            case .primaryBChromaticityY: blue.y = try child.float()
            case .whitePointChromaticityX: white.x = try child.float()
            case .whitePointChromaticityY: white.y = try child.float()
            case .luminanceMax: luminanceMax = try child.float()
            case .luminanceMin: luminanceMin = try child.float()
            default: break
            }
        }
    }
}
