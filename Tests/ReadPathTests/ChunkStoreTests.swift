import Bytes
import ChunkStore
import Diagnostics
import FoundationEssentials
import SourceAPI
import Testing

@testable import ReadPath

/// The read path on the cache itself.
@Suite(.serialized) struct ChunkStoreTests {
    @Test("what was read is read again without the origin, by the next handle and by the next run")
    func survives() async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/reelfs-readpath-\(UInt64.random(in: 0...UInt64.max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let fixture = Fixture(size: 5_000_001)
        for run in 0..<2 {
            let store = try ChunkStore(directory: directory, limits: CacheLimits(maximumBytes: 100 << 20, minimumFreeBytes: 0), log: .silent)
            let path = ReadPath(store: store, limits: .quick, log: .silent)
            for handle in 0..<2 {
                let reader = try path.open(fixture.entry, revision: 0, from: fixture.source, label: ObjectLabel(source: "fake", path: "film.mkv"))
                #expect(await fixture.checkWhole(reader) == nil, "run \(run) handle \(handle)")
                reader.close()
            }
            store.close()
        }
        #expect(fixture.source.delivered == 5_000_001)
    }
}
