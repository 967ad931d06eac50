private import Glibc

/// Sends bytes as they are to a loopback port: what no honest client says.
package enum RawClient {
    /// - Returns: all that comes back until the other side closes or is silent for `patience` seconds.
    package static func exchange(_ port: UInt16, _ bytes: [UInt8], patience: Double = 2) async throws -> [UInt8] {
        try await Blocking.run {
            guard let descriptor = LoopbackPort.connect(port) else { throw TestSupportError("nobody listens on port \(port)") }
            defer { close(descriptor) }
            var limit = timeval(tv_sec: Int(patience), tv_usec: Int((patience - patience.rounded(.down)) * 1e6))
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var done = 0
            while done < bytes.count {
                let count = bytes[done...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if count <= 0 { break }
                done += count
            }
            var result: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = recv(descriptor, &chunk, chunk.count, 0)
                guard count > 0 else { return result }
                result.append(contentsOf: chunk[..<count])
            }
        }
    }

    package static func exchange(_ port: UInt16, _ text: String, patience: Double = 2) async throws -> String {
        String(decoding: try await exchange(port, Array(text.utf8), patience: patience), as: UTF8.self)
    }
}
