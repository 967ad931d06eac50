internal import Glibc
internal import Synchronization

/// A server on a loopback address that answers each request with what the test scripted, byte by byte as given: for faults
/// that no real server produces on demand. One thread per connection.
///
/// SAFETY: everything that changes is in `state`, behind its lock.
package final class ScriptedServer: Sendable {
    package struct Request: Sendable {
        /// `GET /a HTTP/1.1`
        package var line: String
        package var fields: [String]
        package var body: String
        /// Which connection it came on, counted from 0.
        package var connection: Int

        package var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

        package subscript(_ name: String) -> String? {
            fields.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }.map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
        }
    }

    /// What is done after a request, in order.
    package enum Step: Sendable {
        case send(String)
        case bytes([UInt8])
        case wait(milliseconds: UInt32)
        /// Nothing more until the peer or the server closes the connection.
        case hang
        /// Closes in order.
        case close
        /// Closes so that the peer sees a reset.
        case reset
    }

    private struct State {
        var requests: [Request] = []
        var connections = 0
        var sockets: Set<Int32> = []
        var isStopped = false
    }

    package let port: UInt16
    package let host: String
    private let listener: Int32
    private let state = Mutex(State())
    private let script: @Sendable (Request, Int) -> [Step]

    /// - Parameter script: the steps for a request and its number, counted from 0.
    package init(host: String = "127.0.0.1", script: @escaping @Sendable (Request, Int) -> [Step]) {
        self.script = script
        self.host = host
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        inet_aton(host, &address.sin_addr)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                precondition(bind(listener, generic, length) == 0 && listen(listener, 128) == 0, "cannot listen on \(host)")
                getsockname(listener, generic, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        startThread { [self] in accept() }
    }

    package var base: String { "http://\(host):\(port)" }
    package var requests: [Request] { state.withLock { $0.requests } }
    package var connections: Int { state.withLock { $0.connections } }

    /// Closes everything. Threads that answer end by themselves.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                break
            }
            let number = state.withLock { state -> Int? in
                guard !state.isStopped else { return nil }
                state.sockets.insert(socket)
                defer { state.connections += 1 }
                return state.connections
            }
            guard let number else {
                close(socket)
                break
            }
            var one: Int32 = 1
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            startThread { [self] in
                serve(socket, connection: number)
                state.withLock { _ = $0.sockets.remove(socket) }
                close(socket)
            }
        }
        close(listener)
    }

    private func serve(_ socket: Int32, connection: Int) {
        var pending: [UInt8] = []
        while let request = read(socket, &pending, connection) {
            let number = state.withLock { state in
                defer { state.requests.append(request) }
                return state.requests.count
            }
            for step in script(request, number) {
                switch step {
                case .send(let text): guard send(socket, Array(text.utf8)) else { return }
                case .bytes(let bytes): guard send(socket, bytes) else { return }
                case .wait(let milliseconds): usleep(milliseconds * 1000)
                case .hang: return hang(socket)
                case .close: return
                case .reset:
                    var value = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
                    return
                }
            }
        }
    }

    private func read(_ socket: Int32, _ pending: inout [UInt8], _ connection: Int) -> Request? {
        var head: (text: String, length: Int)?
        while true {
            if head == nil, let end = Self.endOfHead(pending) { head = (String(decoding: pending[..<end], as: UTF8.self), end + 4) }
            if let head {
                let lines = head.text.split(separator: "\r\n").map(String.init)
                var request = Request(line: lines.first ?? "", fields: Array(lines.dropFirst()), body: "", connection: connection)
                let length = request["Content-Length"].flatMap { Int($0) } ?? 0
                if pending.count >= head.length + length {
                    request.body = String(decoding: pending[head.length..<head.length + length], as: UTF8.self)
                    pending.removeFirst(head.length + length)
                    return request
                }
            }
            var room = [UInt8](repeating: 0, count: 16384)
            let count = recv(socket, &room, room.count, 0)
            guard count > 0 else { return nil }
            pending += room[..<count]
        }
    }

    private func hang(_ socket: Int32) {
        var room = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket, &room, room.count, 0)
            if count == 0 || count < 0 && errno != EINTR { return }
        }
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...bytes.count - 4).first { bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10 }
    }

    private func send(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func startThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let status = pthread_create(
        &thread, nil,
        {
            Unmanaged<Work>.fromOpaque($0!).takeRetainedValue().body(); return nil
        },
        Unmanaged.passRetained(Work(body)).toOpaque())
    precondition(status == 0, "cannot start a thread")
    pthread_detach(thread)
}

extension ScriptedServer.Step {
    /// A response with its length.
    package static func respond(_ status: String, _ fields: [String] = [], body: String = "") -> ScriptedServer.Step {
        .send("HTTP/1.1 \(status)\r\n" + fields.map { $0 + "\r\n" }.joined() + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    }
}
