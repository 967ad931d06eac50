import Synchronization
import TestSupport
import Testing

/// A file is swapped at its origin while a descriptor and a memory map of it are open, and a second reader opens it.
@Suite("Through the mount: versions", .serialized, .enabled(if: ReelfsProcess.builtBinary != nil && TestTools.has("python3")))
struct VersionSwapTests {
    struct Swap: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var oldSize = 3_000_000, newSize = 3_000_000
        /// ETag and Last-Modified of the old and the new version.
        var old: [(String, String)] = [], new: [(String, String)] = []
    }

    static let swaps: [Swap] = {
        let times = ["Tue, 01 Dec 2026 10:00:00 GMT", "Tue, 01 Dec 2026 11:00:00 GMT"].map { ("Last-Modified", $0) }
        let tags = ["\"v1\"", "\"v2\""].map { ("ETag", $0) }, weak = ["W/\"v1\"", "W/\"v2\""].map { ("ETag", $0) }
        return [
            Swap(testDescription: "same length and time, another tag", old: [tags[0], times[0]], new: [tags[1], times[0]]),
            Swap(testDescription: "same length, another time, no tag", old: [times[0]], new: [times[1]]),
            Swap(testDescription: "same length, another weak tag and time", old: [weak[0], times[0]], new: [weak[1], times[1]]),
            Swap(testDescription: "shorter, same time, no tag", newSize: 1_234_567, old: [times[0]], new: [times[0]]),
            Swap(testDescription: "shorter, another tag", newSize: 70_001, old: [tags[0], times[0]], new: [tags[1], times[1]]),
            Swap(testDescription: "longer, same time, another tag", newSize: 4_000_003, old: [tags[0], times[0]], new: [tags[1], times[0]]),
            Swap(testDescription: "longer, nothing but the length tells", newSize: 3_100_000),
        ]
    }()

    private static func content(_ version: Int, _ count: Int) -> [UInt8] {
        // No block of one version is that of the other.
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8 &+ version &* 101) }
    }

    private static func response(_ request: LoopbackServer.Request, _ bytes: [UInt8], _ fields: [(String, String)]) -> LoopbackServer.Response {
        guard request.target.hasSuffix("film.bin") else {
            let row = "<a href=\"film.bin\">film.bin</a>  01-Dec-2026 10:00  \(bytes.count)\n"
            return .init(200, [("Content-Type", "text/html")], body: Array("<title>Index of /</title><h1>Index of /</h1><pre>\(row)</pre>".utf8))
        }
        let fields = fields + [("Content-Type", "application/octet-stream"), ("Accept-Ranges", "bytes")]
        guard let range = request["range"], let dash = range.firstIndex(of: "-"), let first = Int(range[..<dash].dropFirst(6)) else {
            return .init(200, fields, body: bytes)
        }
        guard first < bytes.count else { return .init(416, [("Content-Range", "bytes */\(bytes.count)")]) }
        let last = min(Int(range[range.index(after: dash)...]) ?? bytes.count - 1, bytes.count - 1)
        return .init(206, fields + [("Content-Range", "bytes \(first)-\(last)/\(bytes.count)")], body: Array(bytes[first...last]))
    }

    /// Opens and maps the file and reads some of it, has it swapped, opens and reads it anew, and at last looks at every block of what
    /// was open before; of the map in a child that a SIGBUS may end.
    private static let script = #"""
        import mmap, os, subprocess, sys, time, urllib.request
        path, server, old_path, new_path, *refresh = sys.argv[1:]
        old, new = open(old_path, "rb").read(), open(new_path, "rb").read()
        file = os.open(path, os.O_RDONLY)
        view = mmap.mmap(file, len(old), prot=mmap.PROT_READ)
        assert os.pread(file, 100000, 0) == old[:100000] and view[1000000:1050000] == old[1000000:1050000]
        urllib.request.urlopen(server + "swap").read()
        # Half of the readers come before anybody has looked at the directory again.
        tries, said = 0, "never"
        for tries in range(1, 30):
            if tries > 1:
                subprocess.run(refresh, check=True, stdout=subprocess.DEVNULL)
            try:
                got = open(path, "rb").read()
            except OSError as error:
                assert error.errno == 116, error
                time.sleep(0.1)
                continue
            if got == new:
                said = "new"
                break
            if got != old:
                pages = ["n" if got[i : i + 65536] == new[i : i + 65536] else "o" if got[i : i + 65536] == old[i : i + 65536] else "?"
                         for i in range(0, len(got), 65536)]
                said = f"mixture of {len(got)} bytes: {''.join(pages)}"
                break
            time.sleep(0.1)
        counts = {"old": 0, "error": 0, "sigbus": 0, "other": 0}
        for at in range(0, len(old), 65536):
            try:
                got = os.pread(file, 65536, at)
                counts["old" if got == old[at : at + 65536] else "other"] += 1
            except OSError as error:
                counts["error" if error.errno == 116 else "other"] += 1
        for at in range(0, len(old), 65536):
            child = os.fork()
            if child == 0:
                os._exit(0 if view[at : at + 65536] == old[at : at + 65536] else 1)
            status = os.waitpid(child, 0)[1]
            counts["old" if status == 0 else "sigbus" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == 7 else "other"] += 1
        print(said)
        print(counts["old"] > 0, counts["other"])
        print(counts, tries)
        """#

    @Test("who has a file open or mapped sees its old bytes or an error, who opens it then only new ones", arguments: swaps)
    func swapped(_ swap: Swap) async throws {
        let old = Self.content(1, swap.oldSize), new = Self.content(2, swap.newSize)
        let swapped = Switch()
        let server = try LoopbackServer { request in
            if request.target.hasSuffix("swap") {
                swapped.isOn.withLock { $0 = true }
                return .init(200, body: [])
            }
            return swapped.isOn.withLock { $0 } ? Self.response(request, new, swap.new) : Self.response(request, old, swap.old)
        }
        try await ReelfsProcess.with { reelfs in
            let directory = reelfs.directory.path
            try FileTree.write(old, to: "\(directory)/old.bin")
            try FileTree.write(new, to: "\(directory)/new.bin")
            let script = try reelfs.directory.file("script.py", Self.script)
            let mnt = try await reelfs.mount(["--type", "http", server.url])
            let result = try await Command(
                ["python3", script, "\(mnt)/film.bin", server.url, "\(directory)/old.bin", "\(directory)/new.bin", reelfs.binary, "refresh", mnt],
                environment: reelfs.environment, deadline: 100
            ).check()
            #expect(Array(result.lines.prefix(2)) == ["new", "True 0"], "\(result)")
        }
    }
}

private final class Switch: Sendable {
    let isOn = Mutex(false)
}
