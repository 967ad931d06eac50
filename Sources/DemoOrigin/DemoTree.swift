internal import Bytes
internal import Glibc

/// The tree that `reelfs demo` serves when it is given none: texts, names that break careless programs, a file worth
/// seeking in, and the films of a folder.
package enum DemoTree {
    /// 2026-01-01T00:00:00Z; every file gets a time of its own from here on, so that a second run makes the same tree.
    private static let firstTime: Int64 = 1_767_225_600

    static let names = [
        "with space.txt", "#hash%20percent?question.txt", "100%.txt", "[brackets]&+;='\".txt", "电影 第一集.txt", "日本語.txt", "🎬 film.txt",
        "trailing dot.", " spaces around ", "...dots...", "a<b>&c.txt", "back\\slash.txt",
    ]

    /// Makes the tree in a directory, which is made too. Files that are there already are written again.
    ///
    /// - Parameter films: A folder whose files appear in `films/`: linked where possible, else copied.
    package static func generate(at root: String, films: String? = nil) throws(DemoError) {
        var maker = Maker(root: root)
        try maker.file("Welcome.txt", Array(welcome.utf8))
        for number in 1...5 { try maker.file("texts/chapter \(number).txt", chapter(number)) }
        for name in names { try maker.file("names/\(name)", Array("The name of this file is hard to get right.\n".utf8)) }
        try maker.file("numbers/noise-4MB.bin", noise(4_000_000))
        try maker.file("numbers/empty.bin", [])
        try maker.file("folders/one/two/three/deep.txt", Array("You went deep.\n".utf8))
        if let films { try maker.link(films, into: "films") }
    }

    private static let welcome = """
        This directory comes from the demo server inside reelfs.

        texts/    chapters to read            names/    names that are hard to get right
        films/    short films to play         numbers/  a file to seek in

        """

    private static func chapter(_ number: Int) -> [UInt8] {
        var text = "Chapter \(number)\n\n"
        for line in 1...(number * 200) { text += "Line \(line) of chapter \(number): what is read once is kept, what is kept is checked.\n" }
        return Array(text.utf8)
    }

    /// Bytes that do not repeat: each eight are the hash of their number.
    private static func noise(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for number in 0..<UInt64(count / 8) {
            var hash = StableHash()
            hash.combine(number)
            withUnsafeBytes(of: hash.value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private struct Maker {
        let root: String
        var count: Int64 = 0

        mutating func file(_ relative: String, _ bytes: [UInt8]) throws(DemoError) {
            let path = "\(root)/\(relative)"
            try Self.directories(above: path)
            let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard descriptor >= 0 else { throw Self.fault(path) }
            defer { close(descriptor) }
            var done = 0
            while done < bytes.count {
                let written = bytes[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { throw Self.fault(path) }
                done += written
            }
            let time = timespec(tv_sec: Int(DemoTree.firstTime + count * 3600), tv_nsec: 0)
            count += 1
            guard futimens(descriptor, [time, time]) == 0 else { throw Self.fault(path) }
        }

        func link(_ folder: String, into name: String) throws(DemoError) {
            guard let stream = opendir(folder) else { throw Self.fault(folder) }
            defer { closedir(stream) }
            let target = "\(root)/\(name)"
            try Self.directories(above: "\(target)/x")
            while let entry = readdir(stream) {
                let file = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                var info = stat()
                guard !file.hasPrefix("."), lstat("\(folder)/\(file)", &info) == 0, info.st_mode & S_IFMT == S_IFREG else { continue }
                unlink("\(target)/\(file)")
                if Glibc.link("\(folder)/\(file)", "\(target)/\(file)") == 0 { continue }
                try Self.copy("\(folder)/\(file)", "\(target)/\(file)")
            }
        }

        private static func copy(_ from: String, _ to: String) throws(DemoError) {
            let input = Glibc.open(from, O_RDONLY | O_CLOEXEC)
            guard input >= 0 else { throw fault(from) }
            defer { close(input) }
            let output = Glibc.open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard output >= 0 else { throw fault(to) }
            defer { close(output) }
            while true {
                let count = sendfile(output, input, nil, 1 << 20)
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { throw fault(to) }
                if count == 0 { return }
            }
        }

        private static func directories(above path: String) throws(DemoError) {
            var position = path.startIndex
            while let slash = path[position...].dropFirst().firstIndex(of: "/") {
                let directory = String(path[..<slash])
                guard mkdir(directory, 0o755) == 0 || errno == EEXIST else { throw fault(directory) }
                position = slash
            }
        }

        private static func fault(_ path: String) -> DemoError { DemoError(.cannotWrite, "\(path): \(String(cString: strerror(errno)))") }
    }
}
