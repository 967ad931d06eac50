/// Files and directories that a `FaultOrigin` serves, in memory.
package struct FaultTree: Sendable {
    package struct File: Sendable {
        package var bytes: [UInt8]
        package var entityTag: String
        /// Seconds since 1970.
        package var modified: Int64
        package var mediaType: String

        package init(
            _ bytes: [UInt8], entityTag: String = "\"v1\"", modified: Int64 = TreeMaker.modified, mediaType: String = "application/octet-stream"
        ) {
            self.bytes = bytes
            self.entityTag = entityTag
            self.modified = modified
            self.mediaType = mediaType
        }

        /// Other bytes of a length that differs by `growth`, with tag and time of their own.
        func otherVersion(growth: Int) -> File {
            var random = RepeatableRandom(seed: 0x0DD + UInt64(bytes.count))
            return File(random.bytes(max(0, bytes.count + growth)), entityTag: "\"v2\"", modified: modified + 3600, mediaType: mediaType)
        }
    }

    /// By path, decoded: `/a/b.bin`.
    package private(set) var files: [String: File] = [:]
    /// With a slash at the end; `/` is always there.
    package private(set) var directories: Set<String> = ["/"]

    package init(_ files: [String: File] = [:]) {
        for (path, file) in files { add(path, file) }
    }

    package mutating func add(_ path: String, _ file: File) {
        files[path] = file
        var parent = path
        while let slash = parent.dropLast().lastIndex(of: "/") {
            parent = String(parent[...slash])
            directories.insert(parent)
            if parent == "/" { break }
        }
    }

    package mutating func addDirectory(_ path: String) { directories.insert(path) }

    /// Names of what is in a directory, directories with a slash at the end; sorted.
    package func names(in directory: String) -> [String] {
        (Array(files.keys) + directories).compactMap { path in
            guard path.hasPrefix(directory), path != directory else { return nil }
            let rest = path.dropFirst(directory.count)
            guard !rest.dropLast().contains("/") else { return nil }
            return String(rest)
        }.sorted()
    }
}
