import Database
import Glibc
import OffPool
import Testing

@Suite(.offPool) struct SQLConnectionTests {
    private func path() -> String {
        var template = Array("/tmp/reelfs-database-test-XXXXXX".utf8CString)
        return template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) } + "/file.sqlite"
    }

    private func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", ".damaged", "-wal.damaged", "-shm.damaged"] { unlink(path + suffix) }
        rmdir(String(path.dropLast("/file.sqlite".count)))
    }

    @Test("values come back as they were bound, empty texts and null bytes too")
    func values() throws {
        let path = path()
        defer { remove(path) }
        let connection = try SQLConnection(path: path)
        try connection.execute("CREATE TABLE t (a, b, c, d)")
        try connection.run("INSERT INTO t VALUES (?,?,?,?)", .unsigned(.max), .text(""), .blob([0, 1, 0]), .null)
        try connection.run("INSERT INTO t VALUES (?,?,?,?)", .integer(-5), .text("ä\u{0}b"), .blob([]), .optional(nil as String?))
        var rows = 0
        try connection.query("SELECT a, b, c, d FROM t ORDER BY rowid") { (row) throws(DatabaseError) in
            rows += 1
            if rows == 1 {
                #expect(row.unsigned(0) == .max && row.text(1) == "" && row.withBlob(2) { Array($0) } == [0, 1, 0] && row.isNull(3))
            } else {
                #expect(row.integer(0) == -5 && row.text(1) == "ä\u{0}b" && row.withBlob(2) { $0.count } == 0 && !row.isNull(2) && row.text(3) == nil)
            }
        }
        #expect(rows == 2)
        var information = stat()
        #expect(stat(path, &information) == 0 && information.st_mode & 0o777 == 0o600)
    }

    @Test("a transaction that throws leaves nothing behind")
    func rollback() throws {
        let path = path()
        defer { remove(path) }
        let connection = try SQLConnection(path: path)
        try connection.execute("CREATE TABLE t (a PRIMARY KEY)")
        #expect(throws: DatabaseError.self) {
            try connection.transaction { () throws(DatabaseError) in
                try connection.run("INSERT INTO t VALUES (1)")
                try connection.run("INSERT INTO t VALUES (1)")
            }
        }
        var count: Int64 = -1
        try connection.query("SELECT count(*) FROM t") { (row) throws(DatabaseError) in count = row.integer(0) }
        #expect(count == 0)
        connection.close()
        #expect(throws: DatabaseError.self) { try connection.run("SELECT 1") }
    }

    @Test("a file that is no database is told as damaged, and can be set aside")
    func damage() throws {
        let path = path()
        defer { remove(path) }
        let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
        let noise = [UInt8](repeating: 0x5A, count: 8192)
        _ = noise.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        do {
            _ = try SQLConnection(path: path)
            Issue.record("it was opened")
        } catch {
            #expect(error.isDamage)
        }
        SQLConnection.setAside(path)
        #expect(access(path + ".damaged", F_OK) == 0)
        #expect(try SQLConnection(path: path).isSound())
    }
}
