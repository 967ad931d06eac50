import Glibc
import Synchronization
import TestSupport

extension LoopbackServer.Response {
    /// A file as an honest server sends it: the asked range of it with 206, else all of it.
    static func file(
        _ bytes: [UInt8], to request: LoopbackServer.Request, type: String = "application/octet-stream"
    ) -> LoopbackServer.Response {
        let fields = [("ETag", "\"v1\""), ("Content-Type", type), ("Accept-Ranges", "bytes")]
        guard let range = request["range"], range.hasPrefix("bytes="), let dash = range.firstIndex(of: "-"),
            let first = Int(range[..<dash].dropFirst(6)), first < bytes.count
        else { return .init(200, fields, body: bytes) }
        let last = min(Int(range[range.index(after: dash)...]) ?? bytes.count - 1, bytes.count - 1)
        return .init(206, fields + [("Content-Range", "bytes \(first)-\(last)/\(bytes.count)")], body: Array(bytes[first...last]))
    }
}

/// How many work at a time, at most.
final class Crowd: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func whileInside(milliseconds: UInt32) {
        state.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        usleep(milliseconds * 1000)
        state.withLock { $0.now -= 1 }
    }
}
