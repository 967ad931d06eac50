/// `moov` (ISO/IEC 14496-12 §8.2.1).
package struct MovieBox: Box, Hashable {
    package static let type: FourCC = "moov"

    package var header: MovieHeaderBox
    package var tracks: [TrackBox]
    /// In a fragmented file.
    package var extends: MovieExtendsBox?
    package var userData: UserDataBox?

    /// More tracks than any film has; each costs memory.
    package static let maximumTracks = 1024

    package init(header: MovieHeaderBox, tracks: [TrackBox], extends: MovieExtendsBox? = nil, userData: UserDataBox? = nil) {
        self.header = header
        self.tracks = tracks
        self.extends = extends
        self.userData = userData
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        var header: MovieHeaderBox?
        tracks = []
        while var box = try reader.child() {
            switch box.type {
            case MovieHeaderBox.type: header = try MovieHeaderBox(from: &box)
            case TrackBox.type:
                guard tracks.count < Self.maximumTracks else { throw box.error(.unsupported, "more than \(Self.maximumTracks) tracks") }
                tracks.append(try TrackBox(from: &box))
            case MovieExtendsBox.type: extends = try MovieExtendsBox(from: &box)
            case UserDataBox.type: userData = try UserDataBox(from: &box)
            default: break
            }
        }
        guard let header else { throw reader.error(.malformed, "no mvhd") }
        self.header = header
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            header.write(to: &writer)
            for track in tracks { track.write(to: &writer) }
            extends?.write(to: &writer)
            userData?.write(to: &writer)
        }
    }

    /// The same movie with every chunk `distance` bytes further back in the file.
    package func movingChunks(by distance: UInt64) -> MovieBox {
        var moved = self
        for index in moved.tracks.indices { moved.tracks[index].media.samples.chunkOffsets.shift = distance }
        return moved
    }

    /// For a file whose movie comes before its samples: the chunks, counted from the first byte behind the movie, are moved
    /// behind `start` bytes and the movie itself. Its size depends on its offsets (32 or 64 bits), and they on its size.
    package func placedBeforeData(at start: UInt64) -> MovieBox {
        var movie = self
        var size: UInt64 = 0
        // Offsets only ever grow from 32 to 64 bits, track by track.
        for _ in 0...tracks.count + 1 {
            movie = movingChunks(by: start + size)
            let next = movie.size
            if next == size { break }
            size = next
        }
        return movie
    }
}
