extension ProgressiveMovie {
    /// What a file begins with whose `moov` comes last: `ftyp`, and 16 bytes for the header of `mdat`. Samples follow at once.
    package func start() throws(MP4Error) -> [UInt8] { try fileType.bytes() + MediaData.reservedHeader(dataSize: 0) }

    /// What is put in place of the end of `start()` when the length of all samples is known, and where in the file.
    package func header(dataSize: UInt64) throws(MP4Error) -> (offset: UInt64, bytes: [UInt8]) {
        (fileType.size, MediaData.reservedHeader(dataSize: dataSize))
    }

    /// The `moov` of a file that began with `start()`, to stand behind the samples.
    package func movieBehindData() throws(MP4Error) -> MovieBox {
        try movie().movingChunks(by: fileType.size + UInt64(MediaData.reservedHeaderSize))
    }

    /// Hands over, in pieces, everything in front of the samples of a file whose `moov` comes first: `ftyp`, `moov`, and the
    /// header of an `mdat` with `dataSize` bytes of samples.
    ///
    /// - Throws: `MP4Error` before anything is handed over; what `sink` throws.
    package func writeHead(dataSize: UInt64, into sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
        let mediaHeader = MediaData.header(dataSize: dataSize)
        let movie = try movie().placedBeforeData(at: fileType.size + UInt64(mediaHeader.count))
        try BoxWriter.stream(
            { writer in
                fileType.write(to: &writer)
                movie.write(to: &writer)
                writer.bytes(mediaHeader)
            }, into: sink)
    }

    /// The same in memory.
    package func head(dataSize: UInt64) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) {
            try writeHead(dataSize: dataSize, into: $0)
        }
        return bytes
    }
}
