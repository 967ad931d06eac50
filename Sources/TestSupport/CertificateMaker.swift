/// A certificate authority of a test's own, and a certificate it signed for 127.0.0.1 and localhost.
package struct TestCertificates: Sendable {
    package let authority: String
    package let certificate: String
    package let key: String

    /// Makes them with openssl in `directory`.
    package static func make(in directory: String) async throws -> TestCertificates {
        let made = TestCertificates(authority: "\(directory)/ca.pem", certificate: "\(directory)/server.pem", key: "\(directory)/server.key")
        let request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
        try await Command(request + ["-subj", "/CN=Test CA", "-keyout", "\(directory)/ca.key", "-out", made.authority]).check()
        try await Command(
            request + [
                "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE",
                "-CA", made.authority, "-CAkey", "\(directory)/ca.key", "-keyout", made.key, "-out", made.certificate,
            ]
        ).check()
        return made
    }
}
