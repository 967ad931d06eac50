/// Apache httpd with mod_dav and mod_autoindex; Basic or Digest (MD5).
package enum Apache {
    package static var missing: String? {
        guard TestTools.has("apache2") else { return "apache2 is not installed" }
        return FileTree.exists("\(modules)/mod_dav_fs.so") ? nil : "Apache's modules are not in \(modules)"
    }

    private static let modules = "/usr/lib/apache2/modules"

    package static func start(_ root: String, _ options: ServerOptions = ServerOptions()) async throws -> RealServer {
        let work = try TemporaryDirectory("apache")
        // The lock database belongs to the user that Apache becomes.
        let locks = try work.directory("locks")
        try await Command(["chmod", "777", locks]).check()
        let login =
            switch options.login {
            case .none: "Require all granted"
            case .basic:
                "AuthType Basic\nAuthName test\nAuthUserFile \"\(try await PasswordFiles.makeBasic(options, in: work))\"\nRequire valid-user"
            case .digest, .digestSHA256:
                "AuthType Digest\nAuthName test\nAuthDigestProvider file\n"
                    + "AuthUserFile \"\(try await PasswordFiles.makeDigest(options, realm: "test", in: work))\"\nRequire valid-user"
            }
        let tls = options.tls.map { "SSLEngine on\nSSLCertificateFile \"\($0.certificate)\"\nSSLCertificateKeyFile \"\($0.key)\"" } ?? ""
        var names = ["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "auth_digest"]
        names += ["dav", "dav_fs", "autoindex", "mime"]
        if options.tls != nil { names += ["socache_shmcb", "ssl"] }
        let loads = names.map { "LoadModule \($0)_module \(modules)/mod_\($0).so" }.joined(separator: "\n")
        let process = try await ServerProcess.start("apache2") { port in
            let configuration = """
                ServerRoot "\(work.path)"
                ServerName 127.0.0.1
                Listen 127.0.0.1:\(port)
                PidFile "\(work.path)/pid"
                DefaultRuntimeDir "\(work.path)"
                ErrorLog /dev/stderr
                \(TestTools.isRoot ? "User www-data\nGroup www-data" : "")
                \(loads)
                StartServers 1
                MinSpareThreads 4
                MaxSpareThreads 32
                ThreadsPerChild 32
                MaxRequestWorkers 32
                MaxKeepAliveRequests 0
                TypesConfig /dev/null
                AddType text/html .html
                AddType text/plain .txt
                AddType video/x-matroska .mkv
                LogFormat "%m %U %s %B \\"%{Range}i\\"" plain
                CustomLog "\(work.path)/access.log" plain
                DavLockDB "\(locks)/lock"
                \(tls)
                DocumentRoot "\(root)"
                <Directory "\(root)">
                    Options +Indexes +FollowSymLinks
                    IndexOptions FancyIndexing Charset=UTF-8
                    AllowOverride None
                    Dav On
                    \(login)
                </Directory>
                """
            return ["apache2", "-DFOREGROUND", "-d", work.path, "-f", try work.file("httpd.conf", configuration)]
        }
        return RealServer("Apache", process, work, isSecure: options.tls != nil)
    }
}
