internal import Glibc

/// Directories that are made when they are needed.
enum WritablePlace {
    /// Why nothing can be written in the directory `path`, or why it cannot be made; `nil` if nothing is in the way.
    static func hindrance(to path: String) -> String? {
        var place = path
        while true {
            var info = stat()
            if stat(place, &info) == 0 {
                guard info.st_mode & S_IFMT == S_IFDIR else { return "\(place) is not a directory" }
                guard access(place, W_OK | X_OK) != 0 else { return nil }
                return "\(place): \(String(cString: strerror(errno)))"
            }
            let failure = errno
            guard failure == ENOENT, let slash = place.lastIndex(of: "/"), place.count > 1 else {
                return "\(place): \(String(cString: strerror(failure)))"
            }
            place = slash == place.startIndex ? "/" : String(place[..<slash])
        }
    }
}
