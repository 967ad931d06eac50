internal import Glibc

/// Paths as `/proc/self/mountinfo` and the daemon write them: without symbolic links.
enum RealPath {
    /// Resolves the links of an absolute path, but looks at nothing inside a mount of reelfs: it may hang, and has no links.
    static func resolve(_ path: String, mountPoints: [String]) -> String {
        var result = ""
        var parts = path.unicodeScalars.split(separator: "/").map { String(Substring($0)) }[...]
        while let part = parts.popFirst() {
            let next = result + "/" + part
            if mountPoints.contains(next) { return ([next] + parts).joined(separator: "/") }
            guard let real = realpath(next, nil) else { return ([next] + parts).joined(separator: "/") }
            result = String(cString: real)
            free(real)
            if mountPoints.contains(result) { return ([result] + parts).joined(separator: "/") }
            if result == "/" { result = "" }
        }
        return result.isEmpty ? "/" : result
    }
}
