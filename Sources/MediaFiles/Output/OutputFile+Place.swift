internal import CLinux
internal import Glibc

/// Where files go: what can be said of a place before anything is written, and names at the end.
extension OutputFile {
    /// - Throws: when a file cannot come to stand at `path`: something there must not be replaced, the name is too long, or the
    ///   directory is missing or cannot be written to.
    static func check(path: String, replaces: Bool) throws(MediaFileError) {
        let (directory, name) = split(path)
        guard !name.isEmpty, name != ".", name != ".." else { throw MediaFileError(.unwritable, path: path, "it names a directory; name a file") }
        var status = stat()
        // A link that leads nowhere is something that is there, too.
        if lstat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFLNK, stat(path, &status) != 0 { status.st_mode = S_IFREG }
            guard status.st_mode & S_IFMT == S_IFREG else { throw MediaFileError(.exists, path: path, "it exists and is not a regular file") }
            guard replaces else { throw MediaFileError(.exists, path: path, "it exists; --force replaces it") }
        } else if errno != ENOENT {
            throw unwritable(path, errno)
        }
        guard stat(directory, &status) == 0 else { throw unwritable(directory, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw unwritable(directory, ENOTDIR) }
        guard access(directory, W_OK | X_OK) == 0 else { throw unwritable(directory, errno) }
        // The name that the file may have for a moment.
        if lstat(partPath(directory, name), &status) != 0, errno != ENOENT { throw unwritable(path, errno) }
    }

    static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// A hidden name beside the final one, and not longer than most names.
    static func partPath(_ directory: String, _ name: String) -> String {
        var stem = ""
        for character in name where stem.utf8.count + character.utf8.count <= 64 { stem.append(character) }
        var random: UInt32 = 0
        _ = reelfs_random(&random, 4)
        return "\(directory)/.\(stem).\(String(random, radix: 36)).part"
    }

    static func unwritable(_ path: String, _ code: Int32) -> MediaFileError {
        let advice =
            switch code {
            case ENOSPC, EDQUOT: ": make room, then try again"
            case ENAMETOOLONG: ": choose a shorter name"
            default: ""
            }
        return MediaFileError(.unwritable, path: path, String(cString: strerror(code)) + advice)
    }

    /// Names a file `path` in one step, unless something is there: `EEXIST`.
    ///
    /// - Parameter part: its name so far, which is gone afterwards.
    /// - Returns: 0 or an error number.
    static func moveIntoPlace(_ part: String, _ path: String) -> Int32 {
        if reelfs_rename_new(part, path) == 0 { return 0 }
        guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else { return errno }
        // A file system that cannot rename so may know hard links, which never replace anything either.
        if link(part, path) == 0 {
            unlink(part)
            return 0
        }
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { return errno }
        var status = stat()
        guard lstat(path, &status) != 0 else { return EEXIST }
        return rename(part, path) == 0 ? 0 : errno
    }
}
