/// WsgiDAV, from the virtual environment of `Scripts/setup`; Basic and Digest (MD5).
package enum WsgiDAV {
    package static var missing: String? {
        TestTools.wsgidav == nil ? "WsgiDAV is not installed: run Scripts/test, or set REELFS_TEST_TOOLS to where it put the tools" : nil
    }

    package static func start(_ root: String, _ options: ServerOptions = ServerOptions()) async throws -> RealServer {
        guard let program = TestTools.wsgidav else { throw TestSupportError(missing ?? "") }
        let work = try TemporaryDirectory("wsgidav")
        let users: String
        var digest = false
        switch options.login {
        case .none: users = "true"
        case .basic: users = "{\(quoted(options.user)): {\"password\": \(quoted(options.password))}}"
        case .digest, .digestSHA256:
            users = "{\(quoted(options.user)): {\"password\": \(quoted(options.password))}}"
            digest = true
        }
        let wantsDigest = digest
        let process = try await ServerProcess.start("wsgidav", patience: 40) { port in
            let configuration = """
                {"host": "127.0.0.1", "port": \(port), "server": "cheroot", "verbose": 1,
                 "provider_mapping": {"/": {"root": \(quoted(root)), "readonly": true}},
                 "simple_dc": {"user_mapping": {"*": \(users)}},
                 "http_authenticator": {"accept_basic": \(!wantsDigest), "accept_digest": \(wantsDigest), "default_to_digest": \(wantsDigest)},
                 "lock_storage": false, "property_manager": null, "dir_browser": {"enable": true}}
                """
            return [program, "--config", try work.file("wsgidav.json", configuration)]
        }
        return RealServer("WsgiDAV", process, work, isSecure: false)
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
