import Glibc
import OffPool
import Testing

@Suite("Tests off the pool", .offPool)
struct OffPoolTests {
    @Test("a test that may block holds no thread of Swift's pool, before and after it waited for one; tasks it starts run on the pool")
    func threads() async {
        #expect(Self.threadName() == "off the pool")
        let other = await Task { Self.threadName() }.value
        #expect(other != "off the pool" && !other.isEmpty)
        #expect(Self.threadName() == "off the pool")
    }

    @Test("nor does one that never waits")
    func synchronous() { #expect(Self.threadName() == "off the pool") }

    private static func threadName() -> String {
        let descriptor = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in count = max(0, read(descriptor, buffer.baseAddress, 16)) }
        return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
    }
}
