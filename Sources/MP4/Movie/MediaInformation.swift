/// `minf` (ISO/IEC 14496-12 §8.4.4) but for its sample table: the media header and `dinf`.
package enum MediaKind: Hashable, Sendable {
    case video, sound
    /// `sthd` (§12.6.2), for handler `subt`.
    case subtitle
    /// `nmhd`, text among it.
    case other

    package var header: FourCC {
        switch self {
        case .video: "vmhd"
        case .sound: "smhd"
        case .subtitle: "sthd"
        case .other: "nmhd"
        }
    }

    init?(header: FourCC) {
        switch header {
        case "vmhd": self = .video
        case "smhd": self = .sound
        case "sthd": self = .subtitle
        case "nmhd": self = .other
        default: return nil
        }
    }

    func write(to writer: inout BoxWriter) {
        // vmhd has flags 1 always (§12.1.2).
        writer.fullBox(header, flags: self == .video ? 1 : 0) { writer in
            switch self {
            case .video: writer.zeros(8)  // graphicsmode, opcolor
            case .sound: writer.zeros(4)  // balance, reserved
            case .subtitle, .other: break
            }
        }
    }
}

/// `dref` (§8.7.2): where the samples are. Written with one entry: this file.
enum DataReferences {
    /// Whether an entry says that its samples are in another file.
    static func readIsExternal(_ reader: inout BoxReader) throws(MP4Error) -> Bool {
        _ = try reader.versionAndFlags()
        let count = try reader.count(entrySize: 12)
        for _ in 0..<count {
            guard var entry = try reader.child() else { break }
            if try entry.versionAndFlags().flags & 1 == 0, entry.remaining > 0 { return true }
        }
        return false
    }

    static func write(to writer: inout BoxWriter) {
        writer.box("dinf") { writer in
            writer.fullBox("dref") { writer in
                writer.u32(1)
                writer.fullBox("url ", flags: 1) { _ in }  // flags 1: the data is in this file
            }
        }
    }
}
