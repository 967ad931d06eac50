import Bytes
import CFuse
import Glibc
import SourceAPI
import Testing
import VirtualTree

@testable import FuseAdapter

@Suite("What stat shows")
struct AppearanceTests {
    private func attributes(size: UInt64, modified: Int64? = 5) -> Attributes {
        Attributes(number: 77, kind: .file, size: size, modified: modified.map { UnixTime(seconds: $0) }, validFor: .seconds(60))
    }

    @Test("owner and mode are the mount's, size and time the tree's")
    func ordinary() throws {
        let appearance = Appearance(try MountOptions.parse("uid=12,gid=34,umask=027"))
        let shown = appearance.status(of: attributes(size: 1025))
        #expect(shown.st_mode == S_IFREG | 0o640)
        #expect(appearance.mode(of: .directory) == S_IFDIR | 0o750)
        #expect(shown.st_uid == 12 && shown.st_gid == 34 && shown.st_nlink == 1 && shown.st_ino == 77)
        #expect(shown.st_size == 1025 && shown.st_blocks == 3 && shown.st_blksize == 65_536)
        #expect(shown.st_mtim.tv_sec == 5)
        #expect(Appearance(MountOptions()).mode(of: .file) == S_IFREG | 0o644)
    }

    @Test("sizes and times at the edges do not trap", arguments: [0, 1, 512, UInt64(Int64.max), UInt64.max])
    func edges(size: UInt64) {
        let appearance = Appearance(MountOptions())
        for modified in [nil, Int64.min, -1, Int64.max] {
            let shown = appearance.status(of: attributes(size: size, modified: modified))
            #expect(shown.st_size == Int(clamping: size))
            #expect(shown.st_mtim.tv_sec == Int(modified ?? 0))
        }
    }

    @Test("validity is bounded")
    func validity() {
        #expect(Appearance.seconds(.milliseconds(1500)) == 1.5)
        #expect(Appearance.seconds(.seconds(-1)) == 0)
        #expect(Appearance.seconds(.seconds(1_000_000)) == 3600)
    }
}
