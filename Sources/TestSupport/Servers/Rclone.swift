/// `rclone serve webdav`: directories as HTML on GET, PROPFIND on the same paths.
package enum Rclone {
    package static var missing: String? { TestTools.has("rclone") ? nil : "rclone is not installed" }

    package static func start(_ root: String, _ options: ServerOptions = ServerOptions()) async throws -> RealServer {
        let work = try TemporaryDirectory("rclone")
        var environment = TestTools.environment
        environment["HOME"] = work.path
        if case .none = options.login {} else {
            environment["RCLONE_USER"] = options.user
            environment["RCLONE_PASS"] = options.password
        }
        let process = try await ServerProcess.start("rclone", environment: environment) { port in
            var arguments = ["rclone", "serve", "webdav", root, "--addr", "127.0.0.1:\(port)", "--config", "/dev/null", "--dir-cache-time", "1s"]
            if let made = options.tls { arguments += ["--cert", made.certificate, "--key", made.key] }
            return arguments
        }
        return RealServer("rclone", process, work, isSecure: options.tls != nil)
    }
}
