import Bytes
import ChunkStore
import Diagnostics
import Glibc
import Synchronization

/// A directory of its own for each test, gone with it.
final class Scratch: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/reelfs-cache-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    }

    deinit { Scratch.removeTree(path) }

    static func names(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func isDirectory(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    static func removeTree(_ path: String) {
        if isDirectory(path) {
            for name in names(path) { removeTree(path + "/" + name) }
            rmdir(path)
        } else {
            unlink(path)
        }
    }

    /// Every file below, relative.
    static func files(_ path: String, _ below: String = "") -> [String] {
        names(path + "/" + below).flatMap { name -> [String] in
            let relative = below.isEmpty ? name : below + "/" + name
            return isDirectory(path + "/" + relative) ? files(path, relative) : [relative]
        }
    }

    /// Allocated bytes of everything below, directories included.
    static func usage(_ path: String) -> UInt64 {
        var information = stat()
        guard lstat(path, &information) == 0 else { return 0 }
        var total = UInt64(information.st_blocks) * 512
        if information.st_mode & S_IFMT == S_IFDIR { for name in names(path) { total += usage(path + "/" + name) } }
        return total
    }

    /// The files as they are at this moment, one after another, as a crash might leave them.
    static func copy(_ from: String, to: String) {
        mkdir(to, 0o700)
        for name in names(from) {
            let source = from + "/" + name
            let target = to + "/" + name
            if isDirectory(source) {
                copy(source, to: target)
            } else if let bytes = contents(source) {
                writeSparse(bytes, to: target)
            }
        }
    }

    static func contents(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var information = stat()
        fstat(descriptor, &information)
        var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return Array(bytes.prefix(max(0, count)))
    }

    static func write(_ bytes: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }

    /// Pages of zeros become holes, as they were.
    private static func writeSparse(_ bytes: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: 4096)
        bytes.withUnsafeBytes { all in
            for start in stride(from: 0, to: all.count, by: 4096) {
                let count = min(4096, all.count - start)
                guard let page = all.baseAddress.map({ $0 + start }), zeros.withUnsafeBytes({ memcmp($0.baseAddress!, page, count) }) != 0 else {
                    continue
                }
                pwrite(descriptor, page, count, off_t(start))
            }
        }
        ftruncate(descriptor, off_t(bytes.count))
    }

    static func flip(_ path: String, at offset: Int) {
        let descriptor = open(path, O_RDWR)
        var byte: UInt8 = 0
        pread(descriptor, &byte, 1, off_t(offset))
        byte ^= 0x41
        pwrite(descriptor, &byte, 1, off_t(offset))
        close(descriptor)
    }
}

/// SplitMix64: the same numbers for the same seed.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Content that tells by itself where it belongs: each 512 bytes begin with a hash of file and offset, and go on with
/// random bytes from a place that the hash says.
enum Pattern {
    private static let noise: [UInt8] = {
        var generator = Seeded(5)
        return (0..<65536).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }()

    static func bytes(_ file: UInt64, _ range: FileRange) -> [UInt8] {
        guard !range.isEmpty else { return [] }
        let first = range.offset / 512
        let last = (range.end - 1) / 512
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(last - first + 1) * 512)
        for sector in first...last {
            var generator = Seeded(file &* 0x1_0000_0000_0001 &+ sector)
            let hash = generator.next()
            withUnsafeBytes(of: hash.littleEndian) { bytes += $0 }
            let start = Int(hash % 65000)
            bytes += noise[start..<(start + 504)]
        }
        let skip = Int(range.offset - first * 512)
        return Array(bytes[skip..<(skip + Int(range.count))])
    }

    static func block(_ file: UInt64, _ number: UInt64, size: UInt64) -> [UInt8] { bytes(file, Block.range(number, fileSize: size)) }
}

/// What was logged.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    var log: Log { Log(minimum: .debug) { event in self.lines.withLock { $0.append("\(event.level): \(event.line)") } } }
    func count(_ text: String) -> Int { all.count { $0.contains(text) } }
}

/// A clock that tests move.
final class HandClock: Sendable {
    private let value = Mutex<UInt64>(1_700_000_000_000)
    func advance(_ milliseconds: UInt64) { value.withLock { $0 += milliseconds } }
    var now: UInt64 { value.withLock { $0 } }

    func environment(free: @escaping @Sendable () -> UInt64 = { 1 << 50 }) -> CacheEnvironment {
        CacheEnvironment(now: { self.now }, freeBytes: { _ in free() }, flushMilliseconds: 50)
    }
}

let roomy = CacheLimits(maximumBytes: 1 << 40, minimumFreeBytes: 0)

func open(_ store: ChunkStore, _ key: String, size: UInt64, tag: String = "1", pin: String? = "\"v\"", keep: Bool = true) throws -> CachedObject {
    let object = try store.open(key: key, version: ObjectVersion(size: size, tag: tag), label: ObjectLabel(source: "drive", path: "/" + key))
    if let pin { try object.pin(pin, keep: keep) }
    return object
}

/// The bytes that the cache gives, fewer than asked when blocks are missing.
func read(_ object: CachedObject, _ range: FileRange) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: Int(range.count))
    let count = bytes.withUnsafeMutableBytes { object.read(range, into: $0) }
    return Array(bytes.prefix(count))
}

func fill(_ object: CachedObject, _ file: UInt64, _ blocks: Range<UInt64>) {
    for block in blocks { object.write(block, Pattern.block(file, block, size: object.size)) }
}
