/// How a real server is to be set up.
package struct ServerOptions: Sendable {
    package enum Login: Sendable { case none, basic, digest, digestSHA256 }
    package enum Index: Sendable { case html, json }

    package var login: Login
    package var user: String
    package var password: String
    package var index: Index
    package var tls: TestCertificates?
    /// Only clients with a certificate of the same authority are let in; at nginx.
    package var wantsClientCertificate: Bool

    package init(
        login: Login = .none, user: String = "ann", password: String = "pass:w#rd é", index: Index = .html, tls: TestCertificates? = nil,
        wantsClientCertificate: Bool = false
    ) {
        self.wantsClientCertificate = wantsClientCertificate
        self.login = login
        self.user = user
        self.password = password
        self.index = index
        self.tls = tls
    }
}

/// A real server program that serves a directory on loopback, with the files it needs in a directory of its own. It
/// ends with `stop` or with its last reference.
package final class RealServer: Sendable {
    package let name: String
    package let process: ServerProcess
    private let work: TemporaryDirectory
    private let isSecure: Bool

    init(_ name: String, _ process: ServerProcess, _ work: TemporaryDirectory, isSecure: Bool) {
        self.name = name
        self.process = process
        self.work = work
        self.isSecure = isSecure
    }

    package var port: UInt16 { process.port }

    /// Where the served directory is, with a slash at the end.
    package var url: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(process.port)/" }

    /// The access log's lines, for servers that keep one: `METHOD TARGET STATUS BYTES "RANGE"`.
    package var accessLog: [String] {
        guard let bytes = try? FileTree.read("\(work.path)/access.log") else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    package func stop() async { await process.stop() }
}
