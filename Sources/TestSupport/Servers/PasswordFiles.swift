/// Password files as nginx, Apache and lighttpd read them.
enum PasswordFiles {
    /// `user:hash`, for Basic.
    static func makeBasic(_ options: ServerOptions, in work: TemporaryDirectory) async throws -> String {
        let hash = try await Command(["openssl", "passwd", "-apr1", "-stdin"], input: Array(options.password.utf8)).check().lines.first ?? ""
        return try work.file("htpasswd", "\(options.user):\(hash)\n")
    }

    /// `user:realm:hash` (RFC 7616 §3.4.2, A1), for Digest.
    static func makeDigest(_ options: ServerOptions, realm: String, algorithm: String = "md5", in work: TemporaryDirectory) async throws -> String {
        let text = "\(options.user):\(realm):\(options.password)"
        let answer = try await Command(["openssl", "dgst", "-\(algorithm)", "-r"], input: Array(text.utf8)).check()
        return try work.file("htdigest", "\(options.user):\(realm):\(answer.output.prefix { $0 != " " })\n")
    }
}
