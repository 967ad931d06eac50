/// Cuts a stream of bytes into lines of bounded length.
struct LineBuffer: Sendable {
    struct TooLong: Error {}

    private let maximum: Int
    private var bytes: [UInt8] = []
    /// Bytes that hold no line feed for certain.
    private var searched = 0

    init(maximum: Int) { self.maximum = maximum }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    /// The next whole line without its line feed; `nil`: more bytes are needed.
    mutating func next() throws(TooLong) -> [UInt8]? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            if bytes.count > maximum { throw TooLong() }
            return nil
        }
        if end > maximum { throw TooLong() }
        let line = Array(bytes[..<end])
        bytes.removeFirst(end + 1)
        searched = 0
        return line
    }
}
