internal import CCurl
internal import CFuse
internal import CLibXML2
internal import CMicroHTTPD
internal import CSQLite

/// The C libraries that this process runs with, for `doctor`.
package enum LibraryVersions {
    package static func all() -> [(name: String, version: String)] {
        [
            ("libcurl", curlVersion),
            ("libfuse3", String(cString: fuse_pkgversion())),
            ("libsqlite3", String(cString: sqlite3_libversion())),
            ("libxml2", LIBXML_DOTTED_VERSION),
            ("libmicrohttpd", MHD_get_version().map { String(cString: $0) } ?? "unknown"),
        ]
    }

    /// `libcurl/7.88.1 OpenSSL/…` → `7.88.1`.
    private static var curlVersion: String {
        guard let text = curl_version() else { return "unknown" }
        let first = String(cString: text).split(separator: " ").first ?? ""
        return String(first.split(separator: "/").last ?? "unknown")
    }
}
