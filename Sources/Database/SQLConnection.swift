internal import CSQLite
internal import Glibc

/// One connection to an SQLite file, with its prepared statements.
///
/// SAFETY: the connection is opened without SQLite's own mutex. Its owner sees to it that one thread at a time uses it.
package final class SQLConnection: @unchecked Sendable {
    private var handle: OpaquePointer?
    private var prepared: [String: OpaquePointer] = [:]
    package let path: String

    /// Opens the file, and creates it with mode 0600. Write-ahead log, `synchronous=NORMAL`: a committed transaction
    /// survives the end of the process, and the last ones may be lost when the machine loses power. `:memory:` is no file.
    package init(path: String) throws(DatabaseError) {
        self.path = path
        if path != ":memory:" { try SQLConnection.make(path) }
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            handle = nil
            throw DatabaseError(code: code, message: message)
        }
        sqlite3_busy_timeout(handle, 5000)
        do {
            try execute("PRAGMA trusted_schema=OFF")
            try execute("PRAGMA cell_size_check=ON")
            try execute("PRAGMA journal_mode=WAL")
            try execute("PRAGMA synchronous=NORMAL")
            try execute("PRAGMA wal_autocheckpoint=256")
            try execute("PRAGMA journal_size_limit=1048576")
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    private static func make(_ path: String) throws(DatabaseError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw DatabaseError(code: SQLITE_CANTOPEN, message: "\(path): \(String(cString: strerror(errno)))")
        }
        Glibc.close(descriptor)
    }

    /// Ends the connection; later calls fail with SQLITE_MISUSE.
    package func close() {
        for statement in prepared.values { sqlite3_finalize(statement) }
        prepared.removeAll()
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// Runs statements that take no values and whose rows nobody wants.
    package func execute(_ sql: String) throws(DatabaseError) {
        guard let handle else { throw DatabaseError(code: SQLITE_MISUSE, message: "the connection is closed", statement: sql) }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }

    /// Runs one statement with values for its `?`; it is prepared once and kept.
    package func run(_ sql: String, _ values: SQLValue...) throws(DatabaseError) {
        try query(sql, values) { (_) throws(DatabaseError) in }
    }

    /// Runs one statement and gives each row; a row is valid during the call only. The body runs no statement of the
    /// same text.
    package func query(_ sql: String, _ values: SQLValue..., row: (SQLRow) throws(DatabaseError) -> Void) throws(DatabaseError) {
        try query(sql, values, row)
    }

    private func query(_ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws(DatabaseError) -> Void) throws(DatabaseError) {
        let statement = try prepare(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            let code = value.bind(to: statement, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw failure(code, sql) }
        }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code, sql) }
            try row(SQLRow(statement: statement))
        }
    }

    /// All or nothing: the body's statements are committed together, or rolled back when it throws.
    package func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try execute("BEGIN IMMEDIATE")
        do {
            try body()
            try execute("COMMIT")
        } catch {
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    /// Whether SQLite finds the file's structure sound.
    package func isSound() -> Bool {
        var verdict: String?
        do throws(DatabaseError) {
            try query("PRAGMA quick_check(1)") { (row) throws(DatabaseError) in verdict = verdict ?? row.text(0) }
        } catch {
            return false
        }
        return verdict == "ok"
    }

    private func prepare(_ sql: String) throws(DatabaseError) -> OpaquePointer {
        if let statement = prepared[sql] { return statement }
        guard let handle else { throw DatabaseError(code: SQLITE_MISUSE, message: "the connection is closed", statement: sql) }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code, sql) }
        prepared[sql] = statement
        return statement
    }

    private func failure(_ code: Int32, _ sql: String) -> DatabaseError {
        DatabaseError(code: code, message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "closed", statement: sql)
    }
}

extension SQLConnection {
    /// Renames a damaged file and its log to `….damaged` (an earlier one is replaced), so that a new one can be made.
    /// Nobody may have it open.
    package static func setAside(_ path: String) {
        for suffix in ["", "-wal", "-shm"] where rename(path + suffix, path + suffix + ".damaged") != 0 { unlink(path + suffix) }
    }
}
