internal import CSQLite

/// A failure that SQLite states.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// The extended result code (https://www.sqlite.org/rescode.html).
    package let code: Int32
    package let message: String
    /// The statement that failed, without its values.
    package let statement: String?

    package init(code: Int32, message: String, statement: String? = nil) {
        self.code = code
        self.message = message
        self.statement = statement
    }

    private var primary: Int32 { code & 0xFF }

    /// The file is no database or contradicts itself: it must be set aside.
    package var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_FORMAT || primary == SQLITE_SCHEMA }

    /// The disk is full or cannot be written; the database itself is sound.
    package var isUnwritable: Bool { primary == SQLITE_FULL || primary == SQLITE_IOERR || primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN }

    package var description: String { statement.map { "SQLite \(code): \(message) [\($0)]" } ?? "SQLite \(code): \(message)" }
}
