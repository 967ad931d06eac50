/// The Video element of a track (RFC 9559 §5.1.4.1.28).
package struct VideoSettings: Hashable, Sendable {
    package enum Interlacing: UInt64, Sendable { case undetermined, interlaced, progressive }

    /// RFC 9559 §5.1.4.1.28.2: which field is stored and shown first. 2 is undetermined.
    package var fieldOrder: UInt64 = 2
    package var interlacing = Interlacing.undetermined
    /// RFC 9559 §5.1.4.1.28.3: 0 is one picture, 1 side by side with the left eye first, and so on.
    package var stereoMode: UInt64 = 0
    /// Whether BlockAdditions carry transparency.
    package var hasAlpha = false
    /// The coded picture, as the container says; the codec's own headers decide.
    package var pixelWidth: UInt64 = 0, pixelHeight: UInt64 = 0
    /// Pixels to hide on each side.
    package var cropTop: UInt64 = 0, cropBottom: UInt64 = 0, cropLeft: UInt64 = 0, cropRight: UInt64 = 0
    package var displayWidth: UInt64?, displayHeight: UInt64?
    /// RFC 9559 §5.1.4.1.28.14: 0 pixels, 1 centimetres, 2 inches, 3 an aspect ratio, 4 unknown.
    package var displayUnit: UInt64 = 0
    package var uncompressedFourCC: [UInt8]?
    package var colour: Colour?
    package var projection: Projection?

    init(_ body: ElementBody) throws(MatroskaError) {
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .flagInterlaced: interlacing = Interlacing(rawValue: try child.unsigned()) ?? .undetermined
            case .fieldOrder: fieldOrder = try child.unsigned(2)
            case .stereoMode: stereoMode = try child.unsigned()
            case .alphaMode: hasAlpha = try child.flag()
            case .pixelWidth: pixelWidth = try child.unsigned()
            case .pixelHeight: pixelHeight = try child.unsigned()
            case .pixelCropTop: cropTop = try child.unsigned()
            case .pixelCropBottom: cropBottom = try child.unsigned()
            case .pixelCropLeft: cropLeft = try child.unsigned()
            case .pixelCropRight: cropRight = try child.unsigned()
            case .displayWidth: displayWidth = try child.unsigned().nilIfZero
            case .displayHeight: displayHeight = try child.unsigned().nilIfZero
            case .displayUnit: displayUnit = try child.unsigned()
            case .uncompressedFourCC: uncompressedFourCC = Array(child.bytes.prefix(4))
            case .colour: colour = try Colour(child)
            case .projection: projection = try Projection(child)
            default: break
            }
        }
    }

    /// The picture without its cropped edges; `nil` when nothing is left of it.
    package var croppedSize: (width: UInt64, height: UInt64)? {
        let horizontal = sum(cropLeft, cropRight), vertical = sum(cropTop, cropBottom)
        guard horizontal < pixelWidth, vertical < pixelHeight else { return nil }
        return (pixelWidth - horizontal, pixelHeight - vertical)
    }

    /// The size, or with the units 1 to 3 the shape, to show the cropped picture in: DisplayWidth and DisplayHeight, which
    /// default to the cropped picture when the unit is pixels. `nil` when the file leaves it open.
    package var displaySize: (width: UInt64, height: UInt64)? {
        guard displayUnit <= 3 else { return nil }
        if let displayWidth, let displayHeight { return (displayWidth, displayHeight) }
        guard displayUnit == 0, let croppedSize else { return nil }
        return (displayWidth ?? croppedSize.width, displayHeight ?? croppedSize.height)
    }
}

/// How a picture lies on a sphere, cube or plane (RFC 9559 §5.1.4.1.28.41). Degrees.
package struct Projection: Hashable, Sendable {
    /// 0 rectangular, 1 equirectangular, 2 cube map, 3 mesh.
    package var type: UInt64 = 0
    package var privateData: [UInt8]?
    package var yaw = 0.0, pitch = 0.0
    /// For rectangular pictures this is the rotation, counter-clockwise.
    package var roll = 0.0

    init(_ body: ElementBody) throws(MatroskaError) {
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .projectionType: type = try child.unsigned()
            case .projectionPrivate: privateData = Array(child.bytes)
            case .projectionPoseYaw: yaw = try child.float()
            case .projectionPosePitch: pitch = try child.float()
            case .projectionPoseRoll: roll = try child.float()
            default: break
            }
        }
    }
}
