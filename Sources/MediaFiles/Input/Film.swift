internal import Bytes
internal import Remux

/// Opens films by their content; names prove nothing.
enum Film {
    static func open(_ file: InputFile) throws(MediaFileError) -> any FilmReader {
        let start = try file.read(FileRange(offset: 0, count: 4096, fileSize: file.size))
        guard !start.isEmpty else { throw MediaFileError(.notMedia, path: file.path, "the file is empty") }
        if start.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return try MatroskaReader(file) }
        if start.dropFirst(4).starts(with: Array("ftyp".utf8)) {
            throw MediaFileError(.notMedia, path: file.path, "it is an MP4 (or a relative of it) already: copy it as it is")
        }
        return try TransportReader(file)
    }
}
