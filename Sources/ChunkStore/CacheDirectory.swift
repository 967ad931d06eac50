internal import Glibc

/// The marked directory that a cache lives in.
enum CacheDirectory {
    /// The first line is what backup programs look for (https://bford.info/cachedir/).
    static let tag = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This directory holds cached data of reelfs; everything in it can be fetched again.
        # For information about cache directory tags, see https://bford.info/cachedir/

        """
    static let format = "reelfs cache 1\n"

    /// Makes the directory (mode 0700, parents as needed) with its marker, or checks the marker of the one that is
    /// there. A directory that holds anything and has no marker is left alone.
    static func prepare(_ directory: String) throws(CacheError) {
        try makeDirectories(directory)
        if let found = try read(directory + "/format") {
            guard found == format else {
                throw CacheError(
                    .unknownFormat, "the cache directory \(directory) has a format that this version does not know",
                    advice: "use the version that made it, or name another directory")
            }
        } else {
            guard try isEmpty(directory) else {
                throw CacheError(
                    .foreignDirectory, "\(directory) holds files and is not a cache of reelfs: nothing in it was touched",
                    advice: "name an empty directory or one that does not exist yet")
            }
            // The tag first: with the format marker the directory is ours.
            try write(tag, to: directory + "/CACHEDIR.TAG")
            try write(format, to: directory + "/format")
        }
        if try read(directory + "/CACHEDIR.TAG") != tag { try write(tag, to: directory + "/CACHEDIR.TAG") }
    }

    static func failure(_ what: String, _ code: Int32) -> CacheError {
        CacheError(.inaccessible, "\(what): \(String(cString: strerror(code)))", advice: "check the path, its owner and its permissions")
    }

    private static func makeDirectories(_ directory: String) throws(CacheError) {
        var information = stat()
        if stat(directory, &information) == 0 {
            guard information.st_mode & S_IFMT == S_IFDIR else { throw failure(directory, ENOTDIR) }
            guard information.st_uid == geteuid() else { throw failure("\(directory) belongs to another user", EPERM) }
            guard information.st_mode & 0o077 != 0 else { return }
            var isOurs = try read(directory + "/format") != nil
            if !isOurs { isOurs = try isEmpty(directory) }
            if isOurs, chmod(directory, 0o700) != 0 { throw failure("cannot close \(directory) to others", errno) }
            return
        }
        var made = ""
        for part in directory.split(separator: "/", omittingEmptySubsequences: false) {
            made += part
            if !made.isEmpty, mkdir(made, 0o700) != 0, errno != EEXIST { throw failure("cannot make \(made)", errno) }
            made += "/"
        }
        guard stat(directory, &information) == 0 else { throw failure("cannot make \(directory)", errno) }
    }

    /// Nothing in it but what the making of a cache leaves when it is cut short.
    private static func isEmpty(_ directory: String) throws(CacheError) -> Bool {
        guard let stream = opendir(directory) else { throw failure("cannot read \(directory)", errno) }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." || name == "lost+found" || name == "CACHEDIR.TAG.new" || name == "format.new" { continue }
            if name == "CACHEDIR.TAG", try read(directory + "/CACHEDIR.TAG") == tag { continue }
            return false
        }
        return true
    }

    /// The text of a small file; `nil` when there is none.
    private static func read(_ path: String) throws(CacheError) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot open \(path)", errno)
        }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw failure("cannot read \(path)", errno) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Written aside and renamed, so that it is there whole or not at all.
    private static func write(_ text: String, to path: String) throws(CacheError) {
        let aside = path + ".new"
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("cannot make \(aside)", errno) }
        defer { Glibc.close(descriptor) }
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count, fsync(descriptor) == 0, rename(aside, path) == 0 else { throw failure("cannot write \(path)", errno) }
    }
}
