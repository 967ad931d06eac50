package import DemoOrigin

/// Every kind of server that directories come from, with the type it is mounted as.
package enum Origin: String, CaseIterable, Sendable, CustomStringConvertible {
    case nginxDav, nginxPages, nginxJSON, apacheDav, apachePages, rclone, wsgidav, python, lighttpd, demoDav, demoPages

    package var description: String { rawValue }

    package var type: String {
        switch self {
        case .nginxDav, .apacheDav, .rclone, .wsgidav, .demoDav: "webdav"
        case .nginxPages, .nginxJSON, .apachePages, .python, .lighttpd, .demoPages: "http"
        }
    }

    package var missing: String? {
        switch self {
        case .nginxDav, .nginxPages, .nginxJSON: Nginx.missing
        case .apacheDav, .apachePages: Apache.missing
        case .rclone: Rclone.missing
        case .wsgidav: WsgiDAV.missing
        case .python: PythonHTTP.missing
        case .lighttpd: Lighttpd.missing
        case .demoDav, .demoPages: nil
        }
    }

    package static var present: [Origin] { allCases.filter { $0.missing == nil } }

    /// nginx leaves out names that begin with a dot, over WebDAV too.
    package func hides(_ path: String) -> Bool {
        switch self {
        case .nginxDav, .nginxPages, .nginxJSON: path.split(separator: "/").contains { $0.hasPrefix(".") }
        default: false
        }
    }

    /// Seconds until the server itself notices that a file of its own changed.
    package var noticesChangesAfter: Double { self == .rclone ? 1.5 : 0 }

    /// Whether its listings tell times of modification to the second.
    package var tellsTimes: Bool { type == "webdav" || self == .nginxJSON }

    package func start(_ root: String) async throws -> RunningOrigin {
        switch self {
        case .nginxDav, .nginxPages: .real(try await Nginx.start(root))
        case .nginxJSON: .real(try await Nginx.start(root, ServerOptions(index: .json)))
        case .apacheDav, .apachePages: .real(try await Apache.start(root))
        case .rclone: .real(try await Rclone.start(root))
        case .wsgidav: .real(try await WsgiDAV.start(root))
        case .python: .real(try await PythonHTTP.start(root))
        case .lighttpd: .real(try await Lighttpd.start(root))
        case .demoDav, .demoPages: .demo(try DemoServer(root: root))
        }
    }
}

package enum RunningOrigin: Sendable {
    case real(RealServer)
    case demo(DemoServer)

    package var url: String {
        switch self {
        case .real(let server): server.url
        case .demo(let server): server.baseURL
        }
    }
}
