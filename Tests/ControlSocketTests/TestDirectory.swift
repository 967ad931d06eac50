import Glibc
import Testing

struct NoDirectory: Error {}

func makeDirectory() throws -> String {
    var template = Array("/tmp/reelfs-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw NoDirectory() }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Calls `body` with the path of an empty directory that is removed afterwards.
func withDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = try makeDirectory()
    defer { removeTree(path) }
    return try body(path)
}

func removeTree(_ path: String) {
    var info = stat()
    guard lstat(path, &info) == 0 else { return }
    guard info.st_mode & S_IFMT == S_IFDIR, let directory = opendir(path) else {
        unlink(path)
        return
    }
    while let entry = readdir(directory) {
        let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
        let name = String(decoding: bytes, as: UTF8.self)
        if name != ".", name != ".." { removeTree(path + "/" + name) }
    }
    closedir(directory)
    rmdir(path)
}

func mode(_ path: String) -> UInt32? {
    var info = stat()
    return lstat(path, &info) == 0 ? info.st_mode & 0o7777 : nil
}

/// A small repeatable generator (SplitMix64).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
