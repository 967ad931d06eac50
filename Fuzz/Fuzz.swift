/// One parser under attack: what it is given, and what must hold whatever that is.
struct FuzzTarget: Sendable {
    let name: String
    /// Bytes of the longest input that is tried: longer ones find nothing that shorter ones do not.
    let limit: Int
    /// Traps where a promise is broken.
    let run: @Sendable ([UInt8]) -> Void

    static let all: [FuzzTarget] = formats + listings + texts
}

/// libFuzzer's entry for programs with a `main` of their own.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// `fuzz TARGET [libFuzzer's arguments]`; `fuzz --list` names the targets.
@main
enum Fuzz {
    /// Set once, before the first input.
    nonisolated(unsafe) private static var chosen: FuzzTarget?

    static func main() {
        var words = CommandLine.arguments
        guard words.count > 1, words[1] != "--list" else {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        guard let target = FuzzTarget.all.first(where: { $0.name == words[1] }) else { fatalError("no target \(words[1])") }
        chosen = target
        words.remove(at: 1)
        words.insert("-max_len=\(target.limit)", at: 1)
        var count = CInt(words.count)
        // Kept for the life of the program.
        let arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
        for (index, word) in words.enumerated() { arguments[index] = duplicate(word) }
        arguments[words.count] = nil
        var start = arguments
        let status = runDriver(&count, &start) { bytes, size in
            Fuzz.chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
            return 0
        }
        guard status == 0 else { fatalError("the fuzzer ended with \(status)") }
    }

    private static func duplicate(_ word: String) -> UnsafeMutablePointer<CChar> {
        let bytes = Array(word.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        return copy
    }
}
