/// Trees of files for tests: the same names, bytes and times from the same seed.
package enum TreeMaker {
    /// Names that break careless code somewhere on the way: in URLs, XML, HTML, shells or on screen. Each is one path
    /// segment, UTF-8 and at most 255 bytes.
    package static let hardNames: [String] = [
        "plain.txt",
        "with space.txt",
        " leading and trailing ",
        "...dots...",
        ".hidden",
        "trailing dot.",
        "#hash%20percent?question.txt",
        "100%.txt",
        "%41%2F.txt",
        "[brackets]&+;='\".txt",
        "a+b c&amp;d<e>f.txt",
        "colon:semi;comma,at@tilde~excl!dollar$.txt",
        "back\\slash|pipe*star.txt",
        "(round){curly}^caret`tick.txt",
        "电影 第一集.mkv",
        "日本語のファイル.txt",
        "файл.txt",
        "🎬🍿 film 👨‍👩‍👧.txt",
        "é composed.txt",
        "e\u{301} decomposed.txt",
        "עברית rtl.txt",
        "Index of",
        "CON.txt",
        String(repeating: "a", count: 251) + ".txt",
        String(repeating: "长", count: 83) + "12.txt",
    ]

    /// Legal on Linux, but with control characters: some servers cannot list them.
    package static let controlNames: [String] = ["new\nline.txt", "tab\there.txt", "escape\u{1B}[31m.txt"]

    /// Around the sizes where blocks begin and end, and a few megabytes.
    package static let edgeSizes: [Int] = [0, 1, 65535, 65536, 65537, 131_072, 3_000_001]

    /// 2024-02-29T12:34:56Z: a time that is neither now nor whole minutes.
    package static let modified: Int64 = 1_709_210_096

    /// A file for each hard name, directories with hard names, files of edge sizes, an empty directory, some depth.
    ///
    /// - Returns: the files' paths relative to `root`.
    @discardableResult
    package static func makeHardTree(at root: String, names: [String] = hardNames, seed: UInt64 = 7) throws -> [String] {
        var random = RepeatableRandom(seed: seed)
        var files: [String] = []
        func add(_ relative: String, _ size: Int) throws {
            try FileTree.write(random.bytes(size), to: "\(root)/\(relative)", modifiedSeconds: modified + Int64(files.count))
            files.append(relative)
        }
        for directory in ["names", "sizes", "empty", "deep/er/and/deeper", "dirs"] { try FileTree.makeDirectory("\(root)/\(directory)") }
        for (index, name) in names.enumerated() { try add("names/\(name)", 10 + index * 37) }
        for size in edgeSizes { try add("sizes/\(size).bin", size) }
        for name in names where name.utf8.count < 200 {
            try FileTree.makeDirectory("\(root)/dirs/\(name)")
            try add("dirs/\(name)/inside.txt", 20)
        }
        try add("deep/er/and/deeper/file.txt", 1000)
        try add("top.txt", 123)
        return files
    }

    /// `count` files of up to `largest` bytes in directories of twenty, most of them small.
    ///
    /// - Returns: the files' paths relative to `root`.
    @discardableResult
    package static func makeManyFiles(at root: String, count: Int = 300, largest: Int = 300_000, seed: UInt64 = 11) throws -> [String] {
        var random = RepeatableRandom(seed: seed)
        var files: [String] = []
        for index in 0..<count {
            let directory = "part \(index / 20)"
            if index % 20 == 0 { try FileTree.makeDirectory("\(root)/\(directory)") }
            let scale = Int.random(in: 1...largest, using: &random)
            let size = index % 10 == 0 ? scale : scale % 8192
            let relative = "\(directory)/file-\(index).bin"
            try FileTree.write(random.bytes(size), to: "\(root)/\(relative)", modifiedSeconds: modified + Int64(index))
            files.append(relative)
        }
        return files
    }

    /// One file of random bytes.
    @discardableResult
    package static func makeFile(at path: String, size: Int, seed: UInt64 = 3) throws -> [UInt8] {
        var random = RepeatableRandom(seed: seed)
        let bytes = random.bytes(size)
        try FileTree.write(bytes, to: path, modifiedSeconds: modified)
        return bytes
    }
}
