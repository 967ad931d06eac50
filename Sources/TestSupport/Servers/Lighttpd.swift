/// lighttpd with its directory listing; Basic, Digest with MD5 or SHA-256.
package enum Lighttpd {
    package static var missing: String? { TestTools.has("lighttpd") ? nil : "lighttpd is not installed" }

    package static func start(_ root: String, _ options: ServerOptions = ServerOptions()) async throws -> RealServer {
        let work = try TemporaryDirectory("lighttpd")
        var login = ""
        switch options.login {
        case .none: break
        case .basic:
            login = """
                server.modules += ("mod_auth", "mod_authn_file")
                auth.backend = "htpasswd"
                auth.backend.htpasswd.userfile = "\(try await PasswordFiles.makeBasic(options, in: work))"
                auth.require = ("" => ("method" => "basic", "realm" => "test", "require" => "valid-user"))
                """
        case .digest, .digestSHA256:
            let isSHA256 = if case .digestSHA256 = options.login { true } else { false }
            let file = try await PasswordFiles.makeDigest(options, realm: "test", algorithm: isSHA256 ? "sha256" : "md5", in: work)
            let algorithm = isSHA256 ? "SHA-256" : "MD5"
            login = """
                server.modules += ("mod_auth", "mod_authn_file")
                auth.backend = "htdigest"
                auth.backend.htdigest.userfile = "\(file)"
                auth.require = ("" => (
                    "method" => "digest", "algorithm" => "\(algorithm)", "realm" => "test", "require" => "valid-user"
                ))
                """
        }
        let loginText = login
        let process = try await ServerProcess.start("lighttpd") { port in
            let configuration = """
                server.modules = ("mod_accesslog", "mod_dirlisting")
                server.document-root = "\(root)"
                server.bind = "127.0.0.1"
                server.port = \(port)
                server.stat-cache-engine = "disable"
                server.upload-dirs = ("\(work.path)")
                server.errorlog = "/dev/stderr"
                accesslog.filename = "\(work.path)/access.log"
                accesslog.format = "%m %U %s %b \\"%{Range}i\\""
                dir-listing.activate = "enable"
                dir-listing.encoding = "utf-8"
                dir-listing.hide-dotfiles = "disable"
                mimetype.assign = (".html" => "text/html", ".txt" => "text/plain", ".mkv" => "video/x-matroska", "" => "application/octet-stream")
                \(loginText)
                """
            return ["lighttpd", "-D", "-f", try work.file("lighttpd.conf", configuration)]
        }
        return RealServer("lighttpd", process, work, isSecure: false)
    }
}
