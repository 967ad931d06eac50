import ChunkStore
import Diagnostics
import Glibc
import OffPool
import Testing

@Suite(.offPool) struct CacheDirectoryTests {
    let scratch = Scratch()
    var directory: String { scratch.path + "/deep/er/cache" }

    @Test("the directory is made with mode 0700, tag and marker, and opened again")
    func made() throws {
        for _ in 0..<2 {
            let store = try ChunkStore(directory: directory, limits: roomy, log: .silent)
            store.close()
        }
        var information = stat()
        #expect(stat(directory, &information) == 0 && information.st_mode & 0o777 == 0o700)
        let tag = String(decoding: try #require(Scratch.contents(directory + "/CACHEDIR.TAG")), as: UTF8.self)
        #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
        #expect(Scratch.contents(directory + "/format").map { String(decoding: $0, as: UTF8.self) } == "reelfs cache 1\n")
    }

    @Test("a directory with anything of somebody else in it is refused by name and left as it was")
    func foreign() throws {
        let home = scratch.path + "/home"
        mkdir(home, 0o755)
        Scratch.write([1, 2, 3], to: home + "/thesis.txt")
        for attempt in [{ _ = try ChunkStore(directory: home, limits: roomy, log: .silent) }, { _ = try CacheLock(directory: home) }]
            as [() throws -> Void]
        {
            do {
                try attempt()
                Issue.record("it was taken")
            } catch let error as CacheError {
                #expect(error.code == .foreignDirectory && error.detail.contains(home) && error.advice != nil)
            }
        }
        #expect(Scratch.names(home) == ["thesis.txt"])
        var information = stat()
        #expect(stat(home, &information) == 0 && information.st_mode & 0o777 == 0o755)
    }

    @Test("an unknown format, and a file in place of the directory, are refused")
    func refused() throws {
        try ChunkStore(directory: directory, limits: roomy, log: .silent).close()
        Scratch.write(Array("reelfs cache 2\n".utf8), to: directory + "/format")
        #expect { try ChunkStore(directory: directory, limits: roomy, log: .silent) } throws: { ($0 as? CacheError)?.code == .unknownFormat }
        Scratch.write([], to: scratch.path + "/file")
        #expect { try ChunkStore(directory: scratch.path + "/file", limits: roomy, log: .silent) } throws: {
            ($0 as? CacheError)?.code == .inaccessible
        }
    }

    @Test("one lock at a time; the second is told the pid of the first")
    func lock() throws {
        var first: CacheLock? = try CacheLock(directory: directory)
        do {
            _ = try CacheLock(directory: directory)
            Issue.record("it was locked twice")
        } catch {
            #expect(error.code == .locked(pid: getpid()) && error.detail.contains("\(getpid())"))
        }
        withExtendedLifetime(first) {}
        first = nil
        _ = try CacheLock(directory: directory)
    }
}
