/// A JSON value (RFC 8259). Strings are bytes: servers write names that are no UTF-8 as they are.
indirect enum JSONValue: Equatable {
    case null, bool(Bool)
    /// The digits as written: a size must not pass through a floating-point number.
    case number([UInt8])
    case string([UInt8])
    case array([JSONValue])
    /// In the document's order; of a repeated name the first counts.
    case object([(name: [UInt8], value: JSONValue)])

    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.elementsEqual(name.utf8) }?.value
    }

    static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)), (.string(let a), .string(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a.elementsEqual(b) { $0.name == $1.name && $0.value == $1.value }
        default: false
        }
    }
}

/// Reads one JSON document, strictly: nothing may follow it, and a document cut anywhere is an error.
struct JSONReader {
    struct Fault: Error, Equatable {
        /// Where in the document, in bytes.
        let offset: Int
        let message: String
    }

    private static let maximumDepth = 16
    /// Values of any kind in one item; an entry of an index has some seven.
    private static let maximumValues = 1000

    private let bytes: [UInt8]
    private var index = 0
    private var values = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Hands out the items of an array one by one, since a small document can hold values that take a hundred times its size.
    ///
    /// - Parameter each: gets an item; `false` ends the reading, also of what is damaged behind it.
    /// - Returns: the document's value when it is no array, else `nil`.
    static func read(_ document: [UInt8], each: (JSONValue) -> Bool) throws(Fault) -> JSONValue? {
        var reader = JSONReader(document)
        if document.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
        reader.skipSpace()
        var single: JSONValue?
        if reader.current == UInt8(ascii: "[") {
            guard try reader.items(each) else { return nil }
        } else {
            single = try reader.value(depth: 0)
        }
        reader.skipSpace()
        guard reader.index == document.count else { throw reader.fault("text behind the document") }
        return single
    }

    /// - Returns: whether the array was read to its end.
    private mutating func items(_ each: (JSONValue) -> Bool) throws(Fault) -> Bool {
        try take(UInt8(ascii: "["))
        skipSpace()
        if current == UInt8(ascii: "]") {
            index += 1
            return true
        }
        while true {
            values = 0
            guard each(try value(depth: 1)) else { return false }
            skipSpace()
            guard current == UInt8(ascii: ",") else { break }
            index += 1
        }
        try take(UInt8(ascii: "]"))
        return true
    }

    private func fault(_ message: String) -> Fault { Fault(offset: index, message: message) }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func take(_ byte: UInt8) throws(Fault) {
        guard current == byte else { throw fault("expected \(Character(Unicode.Scalar(byte)))") }
        index += 1
    }

    private mutating func value(depth: Int) throws(Fault) -> JSONValue {
        skipSpace()
        values += 1
        guard depth < Self.maximumDepth, values <= Self.maximumValues else { throw fault("too deep or too large") }
        switch current {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(Fault) -> JSONValue {
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes.count - index >= expected.count, bytes[index..<(index + expected.count)].elementsEqual(expected) else {
            throw fault("no JSON value")
        }
        index += expected.count
        return value
    }

    private mutating func object(depth: Int) throws(Fault) -> JSONValue {
        try take(UInt8(ascii: "{"))
        var members: [(name: [UInt8], value: JSONValue)] = []
        skipSpace()
        if current == UInt8(ascii: "}") {
            index += 1
            return .object(members)
        }
        while true {
            skipSpace()
            let name = try string()
            skipSpace()
            try take(UInt8(ascii: ":"))
            members.append((name, try value(depth: depth + 1)))
            skipSpace()
            guard current == UInt8(ascii: ",") else { break }
            index += 1
        }
        try take(UInt8(ascii: "}"))
        return .object(members)
    }

    private mutating func array(depth: Int) throws(Fault) -> JSONValue {
        try take(UInt8(ascii: "["))
        var items: [JSONValue] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            index += 1
            return .array(items)
        }
        while true {
            items.append(try value(depth: depth + 1))
            skipSpace()
            guard current == UInt8(ascii: ",") else { break }
            index += 1
        }
        try take(UInt8(ascii: "]"))
        return .array(items)
    }

    private mutating func number() throws(Fault) -> JSONValue {
        let start = index
        while let byte = current, (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2B || byte == 0x2E || byte | 0x20 == 0x65 { index += 1 }
        let digits = Array(bytes[start..<index])
        guard digits.contains(where: { (0x30...0x39).contains($0) }) else { throw fault("no JSON value") }
        return .number(digits)
    }

    private mutating func string() throws(Fault) -> [UInt8] {
        try take(UInt8(ascii: "\""))
        var result: [UInt8] = []
        while let byte = current {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return result
            case UInt8(ascii: "\\"): try escape(into: &result)
            case 0..<0x20: throw fault("a control character in a string")
            default: result.append(byte)
            }
        }
        throw fault("a string without end")
    }

    private mutating func escape(into result: inout [UInt8]) throws(Fault) {
        guard let letter = current else { throw fault("a string without end") }
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(letter)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"):
            var code = try codeUnit()
            if (0xD800...0xDBFF).contains(code), current == UInt8(ascii: "\\"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "u") {
                index += 2
                let low = try codeUnit()
                guard (0xDC00...0xDFFF).contains(low) else { throw fault("half a character") }
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault("half a character") }
            result += String(scalar).utf8
        default: throw fault("an unknown escape")
        }
    }

    private mutating func codeUnit() throws(Fault) -> UInt32 {
        guard bytes.count - index >= 4 else { throw fault("a string without end") }
        var code: UInt32 = 0
        for byte in bytes[index..<(index + 4)] {
            switch byte {
            case 0x30...0x39: code = code << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: code = code << 4 | UInt32(byte - 0x37)
            case 0x61...0x66: code = code << 4 | UInt32(byte - 0x57)
            default: throw fault("an unknown escape")
            }
        }
        index += 4
        return code
    }
}
