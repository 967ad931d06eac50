internal import CMicroHTTPD
package import Diagnostics
internal import Glibc
internal import Synchronization

/// `reelfs demo`: serves one directory of this machine on 127.0.0.1, read-only, over WebDAV and plain HTTP on the same
/// paths. Its threads are libmicrohttpd's.
package final class DemoServer: Sendable {
    package let port: UInt16
    package var baseURL: String { "http://127.0.0.1:\(port)/" }
    /// Requests answered so far.
    package var requestCount: UInt64 { context.requests.value }

    private let context: Context
    private let daemon: Mutex<DaemonBox?>

    /// What the C callback works with; retained by the daemon until it has stopped.
    fileprivate final class Context: Sendable {
        let site: DemoSite
        let log: Log
        let requests = Counter()

        init(site: DemoSite, log: Log) {
            self.site = site
            self.log = log
        }
    }

    /// SAFETY: libmicrohttpd lets any thread stop a daemon; the mutex around it hands the pointer out once.
    private struct DaemonBox: @unchecked Sendable { let pointer: OpaquePointer }

    /// Serves `root` at once.
    ///
    /// - Parameter port: 0 lets the kernel choose; `port` tells which.
    package init(root: String, port: UInt16 = 0, credentials: DemoCredentials? = nil, log: Log = .silent) throws(DemoError) {
        let tree = try ServedTree(root: root)
        let (listener, chosen) = try Self.listen(port)
        self.port = chosen
        context = Context(site: DemoSite(tree: tree, credentials: credentials), log: log)
        let flags = MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_USE_ITC.rawValue
        var options = [
            MHD_OptionItem(option: .LISTEN_SOCKET, value: Int(listener), ptr_value: nil),
            MHD_OptionItem(option: .THREAD_POOL_SIZE, value: 4, ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_LIMIT, value: 512, ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: 60, ptr_value: nil),
            MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
        ]
        let retained = Unmanaged.passRetained(context)
        guard let started = reelfs_mhd_start(flags, demoAccessHandler, retained.toOpaque(), &options) else {
            retained.release()
            close(listener)
            throw DemoError(.cannotListen, "the demo server could not start")
        }
        daemon = Mutex(DaemonBox(pointer: started))
        log.write(.info, "demo", "serving", ["root": root, "url": "http://127.0.0.1:\(chosen)/"])
    }

    deinit { stop() }

    /// Ends it and every connection; returns when its threads are gone. Harmless a second time.
    package func stop() {
        let taken = daemon.withLock { box in
            defer { box = nil }
            return box
        }
        guard let taken else { return }
        MHD_stop_daemon(taken.pointer)
        Unmanaged.passUnretained(context).release()
    }

    private static func listen(_ port: UInt16) throws(DemoError) -> (descriptor: CInt, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw DemoError(.cannotListen, "socket: \(String(cString: strerror(errno)))") }
        var one: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, 128) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else {
            let code = errno
            close(descriptor)
            let text = "cannot listen on 127.0.0.1:\(port): \(String(cString: strerror(code)))"
            throw DemoError(code == EADDRINUSE ? .portTaken : .cannotListen, text)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

/// The most that a request's body may have. Bodies of PROPFIND are read and not looked at.
private let maximumBody = 65536

/// Called by libmicrohttpd on its threads: first without, then with each part of the body, then once more at its end.
/// `state` counts the body's bytes, plus one.
private func demoAccessHandler(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?, _ uploadCount: UnsafeMutablePointer<Int>?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let url, let method, let uploadCount, let state else { return .NO }
    let server = Unmanaged<DemoServer.Context>.fromOpaque(context).takeUnretainedValue()
    guard let counted = state.pointee else {
        state.pointee = UnsafeMutableRawPointer(bitPattern: 1)
        let length = field("Content-Length", of: connection).flatMap { UInt64($0) } ?? 0
        return length > UInt64(maximumBody) ? queue(.problem(413, "too much"), on: connection) : .YES
    }
    if uploadCount.pointee > 0 {
        let total = Int(bitPattern: counted) + uploadCount.pointee
        guard total <= maximumBody + 1 else { return .NO }
        state.pointee = UnsafeMutableRawPointer(bitPattern: total)
        uploadCount.pointee = 0
        return .YES
    }
    var request = DemoRequest(String(cString: method), String(cString: url))
    let names = ["authorization", "depth", "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since"]
    for name in names { request.fields[name] = field(name, of: connection) }
    let reply = server.site.answer(request)
    server.requests.add()
    server.log.write(.debug, "demo", "\(request.method) \(request.target)", ["status": "\(reply.status)", "range": request.fields["range"] ?? ""])
    return queue(reply, on: connection)
}

private func field(_ name: String, of connection: OpaquePointer) -> String? {
    MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
}

private func queue(_ reply: DemoReply, on connection: OpaquePointer) -> MHD_Result {
    let made: OpaquePointer?
    switch reply.body {
    case .file(let handle, let offset, let count) where count > 0:
        // The response closes the descriptor it is given.
        let descriptor = fcntl(handle.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return .NO }
        made = MHD_create_response_from_fd_at_offset64(count, descriptor, offset)
        if made == nil { close(descriptor) }
    case .file: made = MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
    case .text(let text):
        var bytes = Array(text.utf8)
        made = bytes.withUnsafeMutableBytes { MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY) }
    }
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    for field in reply.fields { MHD_add_response_header(made, field.name, field.value) }
    return MHD_queue_response(connection, reply.status, made)
}
