extension TransportHead {
    /// The first decoding time that a PES of a track states in some bytes of the file, and the place of the packet it begins in.
    /// 90 kHz, next to the file's first time: as a walk tells it that begins there. A look at headers alone.
    package func statedTime(of track: Int, in bytes: [UInt8], at offset: UInt64) -> (offset: UInt64, time: Int64)? {
        guard tracks.indices.contains(track) else { return nil }
        let pid = tracks[track].pid
        var reader = PacketReader()
        return bytes.withUnsafeBytes { buffer in
            while true {
                let step = reader.next(buffer, isFinal: true)
                if step == .needMore { return nil }
                guard case .packet(let index) = step, index + PacketHeader.size <= buffer.count else { continue }
                let packet = UnsafeRawBufferPointer(rebasing: buffer[index..<index + PacketHeader.size])
                guard let header = PacketHeader(packet), header.pid == pid, header.startsUnit, !header.hasError, !header.isScrambled,
                    let range = header.payload, case .header(let found) = PESHeader.parse(Array(packet[range])), let pts = found.pts
                else { continue }
                let raw = found.dts ?? pts
                return (offset &+ UInt64(index), TransportClock.unwrap(raw, near: firstTime ?? Int64(raw)))
            }
        }
    }
}
