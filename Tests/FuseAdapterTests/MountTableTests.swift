import Testing

@testable import FuseAdapter

@Suite("The mount table")
struct MountTableTests {
    private let sample = """
        27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
        36 27 0:33 / /sys/fs/cgroup rw,relatime shared:4 master:1 - tmpfs tmpfs rw,mode=755
        90 27 0:55 / /mnt/my\\040films\\011\\134x\\012y ro,nosuid,nodev,relatime - fuse.reelfs https://host/a\\040b ro,user_id=0
        91 27 0:56 / /mnt/影片 ro - fuse.bindfs /x rw
        a line that is none
        92 27 0:57 / /mnt/short ro -
        """

    @Test("fields are found behind any number of tags, and escapes are undone")
    func parses() throws {
        let table = MountTable(parsing: sample)
        #expect(table.entries.map(\.identifier) == [27, 36, 90, 91])
        let films = try #require(table[90])
        #expect(films.mountPoint == "/mnt/my films\t\\x\ny")
        #expect(films.source == "https://host/a b")
        #expect(films.device == "0:55")
        #expect(films.options == "ro,nosuid,nodev,relatime")
        #expect(films.parent == 27)
        #expect(table[36]?.type == "tmpfs")
        #expect(table[91]?.mountPoint == "/mnt/影片")
        #expect(table.reelfsMounts.map(\.identifier) == [90])
    }

    @Test("only fuse.reelfs is ours", arguments: ["fuse", "fuse.reelfs2", "reelfs", "fuse.sshfs", "tmpfs", "fuseblk.reelfs"])
    func foreign(type: String) throws {
        let table = MountTable(parsing: "90 27 0:55 / /mnt ro - \(type) fuse.reelfs ro")
        #expect(table.entries.count == 1)
        #expect(table.reelfsMounts.isEmpty)
    }

    @Test(
        "escapes that are none stand for themselves",
        arguments: [("a\\", "a\\"), ("\\04", "\\04"), ("\\0408", " 8"), ("\\999", "\\999"), ("\\777", "\\777"), ("\\134040", "\\040")])
    func escapes(text: String, meant: String) { #expect(MountTable.unescaped(text.utf8) == meant) }

    @Test("every cut of a table is read without harm")
    func cuts() {
        let bytes = Array(sample.utf8)
        for count in 0...bytes.count {
            #expect(MountTable(parsing: String(decoding: bytes[..<count], as: UTF8.self)).entries.count <= 4)
            #expect(MountTable(parsing: String(decoding: bytes[count...], as: UTF8.self)).entries.count <= 5)
        }
    }

    @Test("the table of this process has /proc, seen at its path, and nothing at a plain directory")
    func current() throws {
        #expect(try #require(MountTable.mount(at: "/proc")).type == "proc")
        #expect(MountTable.mount(at: "/proc/self") == nil)
        #expect(MountTable.mount(at: "/usr/bin") == nil)
        #expect(MountTable.mount(at: "/no/such/place") == nil)
    }

    @Test("the mount number is found in fdinfo")
    func fdinfo() {
        #expect(MountTable.mountIdentifier(inFdinfo: "pos:\t0\nflags:\t012000000\nmnt_id:\t27\nino:\t2\n") == 27)
        #expect(MountTable.mountIdentifier(inFdinfo: "pos:\t0\n") == nil)
        #expect(MountTable.mountIdentifier(inFdinfo: "mnt_id:\tx") == nil)
    }
}
