import Glibc
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

    @Test("what comes to stand at the place meanwhile is not replaced without leave")
    func meanwhile() throws {
        let file = try OutputFile(path: path, replaces: false)
        try file.append([5])
        try FileTree.write([4], to: path)
        let error = #expect(throws: MediaFileError.self) { try file.finish() }
        #expect(error?.code == .exists)
        #expect(try FileTree.read(path) == [4])
        #expect(try FileTree.names(directory.path) == ["电影.mp4"])
    }

    @Test("a name beside is moved into place without replacing anything")
    func movedIntoPlace() throws {
        let part = try directory.file(".part", "new")
        try FileTree.write([4], to: path)
        #expect(OutputFile.moveIntoPlace(part, path) == EEXIST)
        #expect(try FileTree.read(path) == [4])
        FileTree.remove(path)
        #expect(OutputFile.moveIntoPlace(part, path) == 0)
        #expect(try FileTree.names(directory.path) == ["电影.mp4"])
    }

    @Test("a link that leads nowhere is there, and is replaced with leave only")
    func danglingLink() throws {
        #expect(symlink("\(directory.path)/none", path) == 0)
        let error = #expect(throws: MediaFileError.self) { try OutputFile(path: path, replaces: false) }
        #expect(error?.code == .exists)
        let file = try OutputFile(path: path, replaces: true)
        try file.append([5])
        try file.finish()
        #expect(try FileTree.names(directory.path) == ["电影.mp4"])
        #expect(try FileTree.read(path) == [5])
    }

    @Test("a link to a directory is as good as the directory")
    func linkedDirectory() throws {
        let place = try directory.directory("place"), other = "\(directory.path)/link"
        #expect(symlink(place, other) == 0)
        let file = try OutputFile(path: "\(other)/a.mp4", replaces: false)
        try file.append([5])
        #expect(try FileTree.names(place).isEmpty)
        try file.finish()
        #expect(try FileTree.names(place) == ["a.mp4"])
    }

    @Test("a name that is too long is told at once, and what to do", arguments: [256, 300, 5000])
    func longName(_ length: Int) throws {
        let long = "\(directory.path)/" + String(repeating: "a", count: length)
        let error = #expect(throws: MediaFileError.self) { try OutputFile.check(path: long, replaces: true) }
        #expect(error?.code == .unwritable)
        #expect(error?.detail.contains("shorter") == true)
    }

    @Test("a name of the most bytes that a file system takes is good")
    func longestName() throws {
        let long = "\(directory.path)/" + String(repeating: "a", count: 255)
        for replaces in [false, true] {
            let file = try OutputFile(path: long, replaces: replaces)
            try file.append([5])
            try file.finish()
        }
        #expect(try FileTree.names(directory.path).count == 1)
    }

    @Test("a named pipe in place of a film is told at once")
    func pipe() throws {
        let pipe = "\(directory.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let error = #expect(throws: MediaFileError.self) { try InputFile(path: pipe) }
        #expect(error?.detail.contains("not a regular file") == true)
    }

    @Test("the place of the result is looked at before the film is read")
    func placeFirst() throws {
        let noFilm = try directory.file("film.mkv", "no film at all")
        let error = #expect(throws: MediaFileError.self) {
            try Remuxer.run(RemuxRequest(input: noFilm, output: "\(directory.path)/none/a.mp4"), isCancelled: { false }, onProgress: { _, _ in })
        }
        #expect(error?.code == .unwritable)
        #expect(error?.path == "\(directory.path)/none")
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
