package import Transport

/// Addresses of WebDAV drives, in the schemes that file managers and other tools write.
package enum WebDAVAddress {
    private static let schemes = [("webdavs://", "https://"), ("davs://", "https://"), ("webdav://", "http://"), ("dav://", "http://")]

    /// Whether the scheme alone says WebDAV.
    package static func isWebDAV(_ text: String) -> Bool { httpText(text) != nil }

    /// The URL spoken to: `webdav://`, `dav://` mean http, `webdavs://`, `davs://` https. `nil`: none of these schemes.
    package static func httpText(_ text: String) -> String? {
        for (scheme, replacement) in schemes where text.utf8.count > scheme.utf8.count && text.prefix(scheme.count).lowercased() == scheme {
            return replacement + text.dropFirst(scheme.count)
        }
        return nil
    }

    /// - Returns: `nil` for what is no address of a drive.
    package static func url(_ text: String) -> HTTPURL? { HTTPURL(httpText(text) ?? text) }
}
