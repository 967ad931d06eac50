private import Glibc
private import Synchronization

/// A small HTTP/1.1 server in the test process that records every request and answers what a closure says, also what no
/// honest server would. One thread a connection; connections end after each answer unless the answer keeps them.
package final class LoopbackServer: Sendable {
    package struct Request: Sendable {
        package var method: String
        package var target: String
        package var fields: [(name: String, value: String)]
        package var body: [UInt8]

        /// The first field of that name, in any case.
        package subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    }

    package struct Response: Sendable {
        package var status: Int
        package var fields: [(name: String, value: String)]
        package var body: [UInt8]
        /// Send only so many bytes of the body, then close: a connection that broke.
        package var cutAfter: Int?
        /// Seconds between head and body, as a server that hangs.
        package var stall: Double
        /// Send these bytes instead of everything else.
        package var raw: [UInt8]?

        package init(
            _ status: Int, _ fields: [(name: String, value: String)] = [], body: [UInt8] = [], cutAfter: Int? = nil, stall: Double = 0,
            raw: [UInt8]? = nil
        ) {
            self.status = status
            self.fields = fields
            self.body = body
            self.cutAfter = cutAfter
            self.stall = stall
            self.raw = raw
        }
    }

    package let port: UInt16
    package var url: String { "http://127.0.0.1:\(port)/" }
    private let descriptor: CInt
    private let recorded = Mutex<[Request]>([])
    private let isStopped = Mutex(false)
    private let answer: @Sendable (Request) -> Response

    package init(_ answer: @escaping @Sendable (Request) -> Response) throws {
        (descriptor, port) = try LoopbackPort.listen()
        self.answer = answer
        let descriptor = descriptor
        Blocking.start { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                if connection < 0 && errno == EINTR { continue }
                guard connection >= 0 else { return }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Blocking.start { [weak self] in
                    self?.serve(connection)
                    close(connection)
                }
            }
        }
    }

    deinit { stop() }

    package func stop() {
        let isFirst = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard isFirst else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Everything asked so far, in order of arrival.
    package var requests: [Request] { recorded.withLock { $0 } }

    /// Answers every request with a redirect to the same path under `base` (no slash at its end).
    package static func redirecting(to base: String, status: Int = 302) throws -> LoopbackServer {
        try LoopbackServer { request in Response(status, [("Location", base + request.target)]) }
    }

    private func serve(_ connection: CInt) {
        var one: CInt = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        var pending: [UInt8] = []
        while let request = readRequest(connection, &pending) {
            recorded.withLock { $0.append(request) }
            let response = answer(request)
            if let raw = response.raw {
                send(connection, raw)
                return
            }
            var head = "HTTP/1.1 \(response.status) Answer\r\n"
            for field in response.fields { head += "\(field.name): \(field.value)\r\n" }
            if !response.fields.contains(where: { ["content-length", "transfer-encoding"].contains($0.name.lowercased()) }) {
                head += "Content-Length: \(response.body.count)\r\n"
            }
            send(connection, Array((head + "\r\n").utf8))
            if response.stall > 0 { usleep(UInt32(response.stall * 1_000_000)) }
            if request.method != "HEAD" { send(connection, Array(response.body.prefix(response.cutAfter ?? response.body.count))) }
            if response.cutAfter != nil { return }
        }
    }

    private func readRequest(_ connection: CInt, _ pending: inout [UInt8]) -> Request? {
        let end: [UInt8] = [13, 10, 13, 10]
        func more() -> Bool {
            var chunk = [UInt8](repeating: 0, count: 65536)
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return false }
            pending.append(contentsOf: chunk[..<count])
            return true
        }
        var headEnd: Int?
        while headEnd == nil {
            headEnd = pending.indices.first { pending[$0...].starts(with: end) }
            if headEnd == nil, pending.count > 1 << 20 || !more() { return nil }
        }
        guard let headEnd else { return nil }
        let lines = String(decoding: pending[..<headEnd], as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: true)
        pending.removeFirst(headEnd + 4)
        guard let first = lines.first else { return nil }
        let words = first.split(separator: " ")
        guard words.count == 3 else { return nil }
        let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        var request = Request(method: String(words[0]), target: String(words[1]), fields: fields, body: [])
        let length = request["content-length"].flatMap { Int($0) } ?? 0
        guard length >= 0, length <= 1 << 24 else { return nil }
        while pending.count < length { if !more() { return nil } }
        request.body = Array(pending.prefix(length))
        pending.removeFirst(length)
        return request
    }

    private func send(_ connection: CInt, _ bytes: [UInt8]) {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            done += count
        }
    }
}
