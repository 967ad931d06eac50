import MP4
import TestSupport

/// What a finished MP4 says of itself.
enum MovieFile {
    static func movie(_ path: String) throws -> MovieBox {
        guard let bytes = try boxes(path, "moov").first else { throw TestSupportError("no moov in \(path)") }
        return try MovieBox(bytes: bytes)
    }

    static func fragments(_ path: String) throws -> [MovieFragmentBox] {
        try boxes(path, "moof").map { try MovieFragmentBox(bytes: $0) }
    }

    private static func boxes(_ path: String, _ type: FourCC) throws -> [[UInt8]] {
        let file = try FileTree.read(path)
        var place = 0, found: [[UInt8]] = []
        while place < file.count {
            let header = try BoxHeader(Array(file[place..<min(place + 16, file.count)]))
            let end = min(place + Int(header.size ?? UInt64(file.count - place)), file.count)
            if header.type == type { found.append(Array(file[place..<end])) }
            place = end
        }
        return found
    }
}
