/// A proxy program on loopback. It ends with `stop` or with its last reference.
package final class ProxyServer: Sendable {
    private let process: ServerProcess
    private let work: TemporaryDirectory
    private let scheme: String
    private let login: String

    private init(_ process: ServerProcess, _ work: TemporaryDirectory, scheme: String, login: String = "") {
        self.process = process
        self.work = work
        self.scheme = scheme
        self.login = login
    }

    package var port: UInt16 { process.port }

    /// As `--proxy` takes it, with user and password if it wants them.
    package var url: String { "\(scheme)://\(login)127.0.0.1:\(process.port)" }

    /// What it was asked to connect to and how, a line for each, in its own words.
    package var log: String { process.output }

    package func stop() async { await process.stop() }

    /// Tinyproxy: HTTP with and without `CONNECT`. Its log has the first line of every request.
    package static func tinyproxy(user: String? = nil, password: String = "") async throws -> ProxyServer {
        let work = try TemporaryDirectory("tinyproxy")
        let process = try await ServerProcess.start("tinyproxy") { port in
            let access = user.map { "BasicAuth \($0) \(password)" } ?? ""
            let text = "Port \(port)\nListen 127.0.0.1\nTimeout 60\nMaxClients 100\nLogLevel Connect\nAllow 127.0.0.1\n\(access)\n"
            return ["tinyproxy", "-d", "-c", try work.file("tinyproxy.conf", text)]
        }
        return ProxyServer(process, work, scheme: "http", login: user.map { "\($0):\(password)@" } ?? "")
    }

    /// MicroSocks: SOCKS5. Its log has the hosts as it was told them.
    package static func microsocks(user: String? = nil, password: String = "") async throws -> ProxyServer {
        let work = try TemporaryDirectory("microsocks")
        let process = try await ServerProcess.start("microsocks") { port in
            ["microsocks", "-i", "127.0.0.1", "-p", "\(port)"] + (user.map { ["-u", $0, "-P", password] } ?? [])
        }
        return ProxyServer(process, work, scheme: "socks5h", login: user.map { "\($0):\(password)@" } ?? "")
    }

    /// A proxy that speaks HTTP, `CONNECT` and SOCKS5 and takes every name, also one that nobody else knows, for 127.0.0.1.
    /// Its log: `http GET HOST:PORT`, `connect HOST:PORT`, `socks name HOST:PORT` or `socks address HOST:PORT`.
    package static func naming(scheme: String) async throws -> ProxyServer {
        let work = try TemporaryDirectory("proxy")
        let script = try work.file("proxy.py", namingProgram)
        let process = try await ServerProcess.start("proxy") { port in ["python3", "-u", script, "\(port)"] }
        return ProxyServer(process, work, scheme: scheme)
    }

    private static let namingProgram = """
        import socket, socketserver, sys, threading

        def pump(source, sink):
            try:
                while data := source.recv(65536): sink.sendall(data)
            except OSError: pass
            for end in (source, sink):
                try: end.shutdown(socket.SHUT_RDWR)
                except OSError: pass

        def exactly(connection, count):
            data = b''
            while len(data) < count:
                more = connection.recv(count - len(data))
                if not more: raise OSError('ended')
                data += more
            return data

        def tunnel(connection, port, first=b''):
            with socket.create_connection(('127.0.0.1', port)) as origin:
                origin.sendall(first)
                threading.Thread(target=pump, args=(connection, origin), daemon=True).start()
                pump(origin, connection)

        def socks(connection):
            exactly(connection, exactly(connection, 1)[0])
            connection.sendall(b'\\x05\\x00')
            kind = exactly(connection, 4)[3]
            if kind == 3: word, host = 'name', exactly(connection, exactly(connection, 1)[0]).decode()
            elif kind == 1: word, host = 'address', socket.inet_ntop(socket.AF_INET, exactly(connection, 4))
            else: word, host = 'address', socket.inet_ntop(socket.AF_INET6, exactly(connection, 16))
            port = int.from_bytes(exactly(connection, 2), 'big')
            print('socks', word, f'{host}:{port}')
            connection.sendall(b'\\x05\\x00\\x00\\x01\\x7f\\x00\\x00\\x01\\x00\\x00')
            tunnel(connection, port)

        def http(connection, head):
            while b'\\r\\n\\r\\n' not in head:
                more = connection.recv(65536)
                if not more: return
                head += more
            head, body = head.split(b'\\r\\n\\r\\n', 1)
            lines = head.decode('latin-1').split('\\r\\n')
            method, target, version = lines[0].split(' ')
            if method == 'CONNECT':
                print('connect', target)
                connection.sendall(b'HTTP/1.1 200 Connected\\r\\n\\r\\n')
                return tunnel(connection, int(target.rsplit(':', 1)[1]), body)
            authority, _, path = target.split('://', 1)[1].partition('/')
            print('http', method, authority)
            fields = [line for line in lines[1:] if not line.lower().startswith(('connection:', 'proxy-'))]
            text = '\\r\\n'.join([f'{method} /{path} {version}'] + fields + ['Connection: close', '', ''])
            tunnel(connection, int(authority.rsplit(':', 1)[1]), text.encode('latin-1') + body)

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    first = self.request.recv(1)
                    if first == b'\\x05': socks(self.request)
                    elif first: http(self.request, first)
                except OSError: pass

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True
            request_queue_size = 64

        Server(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
        """
}
