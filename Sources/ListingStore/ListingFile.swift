internal import Bytes
internal import Database
internal import SourceAPI

/// The tables and statements of one connection to the file of listings.
struct ListingFile: Sendable {
    /// What a probe learned of a file, and of which version.
    struct Probe: Hashable, Sendable {
        let size: UInt64
        let modified: UnixTime?
        let entityTag: String?

        /// Whether the listing's entry is of the probed version, as far as the listing tells versions at all.
        func fits(_ entry: RemoteEntry) -> Bool {
            if entry.modified == nil && entry.entityTag == nil { return false }
            return (entry.modified == nil || entry.modified == modified) && (entry.entityTag == nil || entry.entityTag == entityTag)
        }
    }

    let connection: SQLConnection

    init(path: String) throws(DatabaseError) {
        connection = try SQLConnection(path: path)
        var version: Int64 = 0
        try connection.query("PRAGMA user_version") { (row) throws(DatabaseError) in version = row.integer(0) }
        if version == 1 { return }
        guard version == 0 else { throw DatabaseError(code: 26, message: "the file of listings has format \(version)") }
        try connection.transaction { () throws(DatabaseError) in
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS listings (source TEXT NOT NULL, directory TEXT NOT NULL, listed_at INTEGER NOT NULL, entries BLOB NOT NULL,
                  PRIMARY KEY (source, directory));
                CREATE TABLE IF NOT EXISTS probes (source TEXT NOT NULL, directory TEXT NOT NULL, cache_key TEXT NOT NULL, size INTEGER NOT NULL,
                  modified INTEGER, tag TEXT, PRIMARY KEY (source, directory, cache_key)) WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS revisions (cache_key TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
                PRAGMA user_version = 1;
                """)
        }
    }

    /// `listing` is `nil` when the row is damaged.
    func listing(_ source: String, _ directory: String) throws(DatabaseError) -> (listing: DirectoryListing?, listedAt: UnixTime)? {
        var found: (DirectoryListing?, UnixTime)?
        let sql = "SELECT entries, listed_at FROM listings WHERE source = ? AND directory = ?"
        try connection.query(sql, .text(source), .text(directory)) { (row) throws(DatabaseError) in
            found = (row.withBlob(0) { ListingCoding.decode($0) }, UnixTime(seconds: row.integer(1)))
        }
        return found
    }

    func probes(_ source: String, _ directory: String) throws(DatabaseError) -> [String: Probe] {
        var found: [String: Probe] = [:]
        let sql = "SELECT cache_key, size, modified, tag FROM probes WHERE source = ? AND directory = ?"
        try connection.query(sql, .text(source), .text(directory)) { (row) throws(DatabaseError) in
            guard let key = row.text(0) else { return }
            found[key] = Probe(size: row.unsigned(1), modified: row.isNull(2) ? nil : UnixTime(seconds: row.integer(2)), entityTag: row.text(3))
        }
        return found
    }

    func revisions() throws(DatabaseError) -> [String: UInt64] {
        var found: [String: UInt64] = [:]
        try connection.query("SELECT cache_key, revision FROM revisions") { (row) throws(DatabaseError) in
            if let key = row.text(0) { found[key] = row.unsigned(1) }
        }
        return found
    }

    /// - Parameter keys: what the listing tells no size of; learned sizes of others go.
    func save(_ source: String, _ directory: String, _ entries: [UInt8], _ listedAt: UnixTime, keeping keys: Set<String>) throws(DatabaseError) {
        try connection.transaction { () throws(DatabaseError) in
            try connection.run(
                "INSERT OR REPLACE INTO listings VALUES (?,?,?,?)", .text(source), .text(directory), .integer(listedAt.seconds), .blob(entries))
            for key in try probes(source, directory).keys where !keys.contains(key) {
                try connection.run(
                    "DELETE FROM probes WHERE source = ? AND directory = ? AND cache_key = ?", .text(source), .text(directory), .text(key))
            }
        }
    }

    func save(_ source: String, _ directory: String, _ cacheKey: String, _ probe: Probe) throws(DatabaseError) {
        try connection.run(
            "INSERT OR REPLACE INTO probes VALUES (?,?,?,?,?,?)", .text(source), .text(directory), .text(cacheKey), .unsigned(probe.size),
            .optional(probe.modified?.seconds), .optional(probe.entityTag))
    }

    func save(revision: UInt64, of cacheKey: String) throws(DatabaseError) {
        try connection.run(
            "INSERT INTO revisions VALUES (?,?) ON CONFLICT (cache_key) DO UPDATE SET revision = max(revision, excluded.revision)",
            .text(cacheKey), .unsigned(revision))
    }

    /// Deletes the row if it is still a damaged one.
    func removeDamaged(_ source: String, _ directory: String) throws(DatabaseError) {
        guard let row = try listing(source, directory), row.listing == nil else { return }
        try connection.run("DELETE FROM listings WHERE source = ? AND directory = ?", .text(source), .text(directory))
    }

    /// - Parameter source: a name; one that ends in `/` is the beginning of names.
    func forget(_ source: String) throws(DatabaseError) {
        let condition = source.hasSuffix("/") ? "substr(source, 1, length(?1)) = ?1" : "source = ?1"
        try connection.transaction { () throws(DatabaseError) in
            try connection.run("DELETE FROM listings WHERE \(condition)", .text(source))
            try connection.run("DELETE FROM probes WHERE \(condition)", .text(source))
        }
    }
}
