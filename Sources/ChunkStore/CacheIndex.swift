internal import Bytes
internal import Database

/// What is stored and when it was last used, in SQLite. All of it but the times of use can be had from the object files
/// again. The store's thread owns it.
struct CacheIndex {
    let connection: SQLConnection
    /// Whether the last user closed it: then it agrees with the object files.
    private(set) var wasClosed = false

    /// What the eviction looks at first: 0; last: 1 (the head and tail of a file, which players and indexers come back to).
    static func rank(group: UInt64, size: UInt64) -> Int64 {
        let blocks = Block.count(fileSize: size)
        // The tail is the last 256 KiB at least: the groups of the last block and of the third before it.
        let last = blocks == 0 ? 0 : blocks - 1
        return group == 0 || group >= (last - min(last, 3)) / BlockChunk.groupBlocks ? 1 : 0
    }

    init(path: String) throws(DatabaseError) {
        connection = try SQLConnection(path: path)
        try connection.execute("PRAGMA cache_size=-4096")
        var version: Int64 = 0
        try connection.query("PRAGMA user_version") { (row) throws(DatabaseError) in version = row.integer(0) }
        if version == 1 {
            try connection.query("SELECT clean FROM life") { (row) throws(DatabaseError) in wasClosed = row.integer(0) == 1 }
            guard wasClosed || connection.isSound() else { throw DatabaseError(code: 11, message: "the structure is damaged") }
        } else {
            guard version == 0 else { throw DatabaseError(code: 26, message: "the index has format \(version)") }
            try connection.transaction { () throws(DatabaseError) in
                try connection.execute(
                    """
                    CREATE TABLE objects (generation INTEGER PRIMARY KEY, high INTEGER NOT NULL, low INTEGER NOT NULL, key TEXT NOT NULL,
                      size INTEGER NOT NULL, tag TEXT NOT NULL, pinned TEXT, source TEXT NOT NULL, path TEXT NOT NULL, allocated INTEGER NOT NULL);
                    CREATE INDEX objects_by_key ON objects (key);
                    CREATE INDEX objects_by_source ON objects (source);
                    CREATE TABLE groups (generation INTEGER NOT NULL, grp INTEGER NOT NULL, rank INTEGER NOT NULL, last_use INTEGER NOT NULL,
                      bytes INTEGER NOT NULL, PRIMARY KEY (generation, grp)) WITHOUT ROWID;
                    CREATE INDEX groups_by_use ON groups (rank, last_use, bytes);
                    CREATE TABLE life (clean INTEGER NOT NULL);
                    INSERT INTO life VALUES (0);
                    PRAGMA user_version = 1;
                    """)
            }
        }
    }

    /// In use from now on: after a crash the object files are looked through. Durable when it returns.
    func markOpen() throws(DatabaseError) {
        try connection.execute("PRAGMA synchronous=FULL")
        try connection.run("UPDATE life SET clean = 0")
        try connection.execute("PRAGMA synchronous=NORMAL")
    }

    func markClosed() throws(DatabaseError) {
        try connection.run("UPDATE life SET clean = 1")
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Name and allocated bytes of every object.
    func objects() throws(DatabaseError) -> [(name: ObjectName, allocated: UInt64)] {
        var result: [(ObjectName, UInt64)] = []
        try connection.query("SELECT generation, high, low, allocated FROM objects") { (row) throws(DatabaseError) in
            let hash = KeyHash(high: row.unsigned(1), low: row.unsigned(2))
            result.append((ObjectName(hash: hash, generation: row.unsigned(0)), row.unsigned(3)))
        }
        return result
    }

    func insert(_ state: ObjectState, allocated: UInt64) throws(DatabaseError) {
        try connection.run(
            "INSERT INTO objects VALUES (?,?,?,?,?,?,?,?,?,?) ON CONFLICT (generation) DO UPDATE SET allocated = excluded.allocated",
            .unsigned(state.name.generation), .unsigned(state.name.hash.high), .unsigned(state.name.hash.low), .text(state.key),
            .unsigned(state.version.size), .text(state.version.tag), .optional(state.pinned), .text(state.label.source), .text(state.label.path),
            .unsigned(allocated))
    }

    func setAllocated(_ generation: UInt64, _ bytes: UInt64) throws(DatabaseError) {
        try connection.run("UPDATE objects SET allocated = ? WHERE generation = ?", .unsigned(bytes), .unsigned(generation))
    }

    func setGroup(_ generation: UInt64, _ group: UInt64, size: UInt64, bytes: UInt64, use: UInt64) throws(DatabaseError) {
        if bytes == 0 { return try removeGroup(generation, group) }
        try connection.run(
            """
            INSERT INTO groups VALUES (?,?,?,?,?)
            ON CONFLICT (generation, grp) DO UPDATE SET last_use = max(last_use, excluded.last_use), bytes = excluded.bytes
            """,
            .unsigned(generation), .unsigned(group), .integer(CacheIndex.rank(group: group, size: size)), .integer(Int64(clamping: use)),
            .unsigned(bytes))
    }

    func removeGroup(_ generation: UInt64, _ group: UInt64) throws(DatabaseError) {
        try connection.run("DELETE FROM groups WHERE generation = ? AND grp = ?", .unsigned(generation), .unsigned(group))
    }

    func remove(_ generation: UInt64) throws(DatabaseError) {
        try connection.run("DELETE FROM groups WHERE generation = ?", .unsigned(generation))
        try connection.run("DELETE FROM objects WHERE generation = ?", .unsigned(generation))
    }

    func hasGroups(_ generation: UInt64) throws(DatabaseError) -> Bool {
        var found = false
        try connection.query("SELECT 1 FROM groups WHERE generation = ? LIMIT 1", .unsigned(generation)) { (_) throws(DatabaseError) in found = true }
        return found
    }

    func groups(of generation: UInt64) throws(DatabaseError) -> [UInt64: UInt64] {
        var result: [UInt64: UInt64] = [:]
        try connection.query("SELECT grp, last_use FROM groups WHERE generation = ?", .unsigned(generation)) { (row) throws(DatabaseError) in
            result[row.unsigned(0)] = UInt64(clamping: row.integer(1))
        }
        return result
    }

    /// The least recently used groups of a rank.
    func oldest(rank: Int64, count: Int64) throws(DatabaseError) -> [(generation: UInt64, group: UInt64, use: Int64)] {
        var result: [(UInt64, UInt64, Int64)] = []
        let sql = "SELECT generation, grp, last_use FROM groups WHERE rank = ? ORDER BY last_use LIMIT ?"
        try connection.query(sql, .integer(rank), .integer(count)) { (row) throws(DatabaseError) in
            result.append((row.unsigned(0), row.unsigned(1), row.integer(2)))
        }
        return result
    }

    /// Bytes of heads and tails.
    func headAndTailBytes() throws(DatabaseError) -> UInt64 {
        var result: UInt64 = 0
        try connection.query("SELECT sum(bytes) FROM groups WHERE rank = 1") { (row) throws(DatabaseError) in result = row.unsigned(0) }
        return result
    }

    /// - Parameter condition: `""`, or `WHERE` with one `?`.
    func summaries(_ condition: String, _ value: SQLValue?) throws(DatabaseError) -> [(generation: UInt64, summary: CachedObjectSummary)] {
        var result: [(UInt64, CachedObjectSummary)] = []
        let sql = """
            SELECT o.generation, key, size, tag, pinned, source, path, allocated, g.bytes, g.used FROM objects o LEFT JOIN
            (SELECT generation, sum(bytes) AS bytes, max(last_use) AS used FROM groups GROUP BY generation) g
            ON g.generation = o.generation \(condition)
            ORDER BY source, path, key
            """
        func take(_ row: SQLRow) {
            let version = ObjectVersion(size: row.unsigned(2), tag: row.text(3) ?? "")
            let summary = CachedObjectSummary(
                key: row.text(1) ?? "", label: ObjectLabel(source: row.text(5) ?? "", path: row.text(6) ?? ""), version: version, pinned: row.text(4),
                cachedBytes: row.unsigned(8), allocatedBytes: row.unsigned(7), lastUse: UnixTime(seconds: row.integer(9) / 1000), state: .kept)
            result.append((row.unsigned(0), summary))
        }
        if let value {
            try connection.query(sql, value) { (row) throws(DatabaseError) in take(row) }
        } else {
            try connection.query(sql) { (row) throws(DatabaseError) in take(row) }
        }
        return result
    }
}
