import TestSupport
import Testing

@testable import MediaFiles

@Suite("Files that get their names when they are whole")
struct OutputFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("output") }

    private var path: String { "\(directory.path)/电影.mp4" }

    @Test("nothing is seen of a file before it is finished, then all of it")
    func finish() throws {
        let file = try OutputFile(path: path, replaces: false)
        try file.append([1, 2, 3])
        try file.append([UInt8](repeating: 7, count: 3 << 20))
        try file.replace([9], at: 1)
        #expect(!FileTree.exists(path))
        try file.finish()
        #expect(Octets(try FileTree.read(path)) == Octets([1, 9, 3] + [UInt8](repeating: 7, count: 3 << 20)))
        #expect(try FileTree.names(directory.path) == ["电影.mp4"])
    }

    @Test("what is given up leaves nothing behind")
    func givenUp() throws {
        do {
            let file = try OutputFile(path: path, replaces: false)
            try file.append([UInt8](repeating: 1, count: 2 << 20))
        }
        #expect(try FileTree.names(directory.path).isEmpty)
    }

    @Test("an existing file stays until its replacement is whole, and is refused without leave")
    func existing() throws {
        try FileTree.write([4], to: path)
        #expect(throws: MediaFileError.self) { try OutputFile(path: path, replaces: false) }
        let file = try OutputFile(path: path, replaces: true)
        try file.append([5])
        #expect(try FileTree.read(path) == [4])
        try file.finish()
        #expect(try FileTree.read(path) == [5])
    }

    @Test("a directory is never replaced")
    func directoryInTheWay() throws {
        try FileTree.makeDirectory(path)
        #expect(throws: MediaFileError.self) { try OutputFile(path: path, replaces: true) }
    }

    @Test("a place that cannot be written is told at once")
    func noDirectory() throws {
        #expect(throws: MediaFileError.self) { try OutputFile(path: "\(directory.path)/none/a.mp4", replaces: false) }
    }

    @Test("room in front moves every byte behind it", arguments: [1, 4096, 5 << 20])
    func room(_ count: UInt64) throws {
        let body = (0..<(9 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let file = try OutputFile(path: path, replaces: false)
        try file.append([1, 2])
        try file.append(body)
        try file.makeRoom(at: 2, count) { false }
        try file.replace([UInt8](repeating: 8, count: Int(count)), at: 2)
        try file.finish()
        #expect(Octets(try FileTree.read(path)) == Octets([1, 2] + [UInt8](repeating: 8, count: Int(count)) + body))
    }
}
