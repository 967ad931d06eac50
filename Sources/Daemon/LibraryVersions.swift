internal import CCurl
internal import CFuse
internal import CLibXML2
internal import CMicroHTTPD
internal import CSQLite

/// The C libraries that this process runs with, for `doctor`.
package enum LibraryVersions {
    package static func all() -> [(name: String, version: String)] {
        [
            ("libcurl", curl_version_info(CURLVERSION_NOW).flatMap { $0.pointee.version }.map { String(cString: $0) } ?? "unknown"),
            ("libfuse3", String(cString: fuse_pkgversion())),
            ("libsqlite3", String(cString: sqlite3_libversion())),
            ("libxml2", xmlParserVersion.map { String(cString: $0) } ?? "unknown"),
            ("libmicrohttpd", MHD_get_version().map { String(cString: $0) } ?? "unknown"),
        ]
    }
}
