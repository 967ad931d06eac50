internal import CSQLite

/// A value for a `?` of a statement.
package enum SQLValue: Sendable {
    case null, integer(Int64), text(String), blob([UInt8])

    /// The number's 64 bits; `SQLRow.unsigned` gives it back. Numbers past `Int64.max` sort as negative.
    package static func unsigned(_ number: UInt64) -> SQLValue { .integer(Int64(bitPattern: number)) }

    package static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

    package static func optional(_ number: Int64?) -> SQLValue { number.map { .integer($0) } ?? .null }

    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { shim_sqlite3_bind_text(statement, index, $0.baseAddress ?? emptyText, UInt64($0.count)) }
            }
        case .blob(let bytes):
            if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
            return bytes.withUnsafeBytes { shim_sqlite3_bind_blob(statement, index, $0.baseAddress, UInt64($0.count)) }
        }
    }
}

/// A valid address for a text without bytes: a null pointer would bind NULL.
private nonisolated(unsafe) let emptyText: UnsafePointer<CChar> = {
    let place = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    place.pointee = 0
    return UnsafePointer(place)
}()

/// The current row of a query. Columns are counted from 0; what is NULL or of another type reads as 0, empty or `nil`.
package struct SQLRow {
    let statement: OpaquePointer

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    package func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

    package func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The bytes of a BLOB in place: valid until the row is left.
    package func withBlob<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
