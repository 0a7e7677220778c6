import Vigil

/// The settings of a server that a stream of changes needs.
struct ServerSettings: Equatable {
    var walLevel: String
    var isStandby: Bool
    var role: String
    var mayReplicate: Bool
    var publication: String
    /// Whether the publication exists, and the operations that it lacks.
    var hasPublication: Bool
    var isComplete: Bool
    /// The slots and senders that are free.
    var freeSlotCount: Int
    var freeSenderCount: Int

    /// Why changes are not reported by row, with the statements that help.
    var problems: [(reason: String, sql: String?)] {
        var problems: [(String, String?)] = []
        if isStandby { problems.append(("the server is a standby: connect to the primary", nil)) }
        if walLevel != "logical" {
            problems.append(
                (
                    "wal_level is \(walLevel), and needs a restart to change",
                    "ALTER SYSTEM SET wal_level = logical"
                ))
        }
        if !mayReplicate {
            problems.append(
                (
                    "the role \(role) does not have the attribute REPLICATION",
                    "ALTER ROLE \(SQLName.quoted(role)) REPLICATION"
                ))
        }
        if !hasPublication {
            problems.append(("the database has no publication named \(publication)", nil))
        } else if !isComplete {
            problems.append(
                (
                    "the publication \(publication) does not publish all of insert, update, delete and truncate",
                    "ALTER PUBLICATION \(SQLName.quoted(publication)) SET (publish = 'insert, update, delete, truncate')"
                ))
        }
        if freeSlotCount < 1 {
            problems.append(
                ("all replication slots are in use", "ALTER SYSTEM SET max_replication_slots = 20"))
        }
        if freeSenderCount < 1 {
            problems.append(("all senders are in use", "ALTER SYSTEM SET max_wal_senders = 20"))
        }
        return problems
    }
}

extension ServerSettings {
    init(_ db: Database, publication: String) throws {
        let sql = """
            SELECT current_setting('wal_level') AS level, pg_is_in_recovery()::int AS standby, session_user::text AS role,
                (SELECT (rolreplication OR rolsuper)::int FROM pg_roles WHERE rolname = session_user) AS replicates,
                (SELECT count(*) FROM pg_publication WHERE pubname = ?1) AS publications,
                (SELECT count(*) FROM pg_publication WHERE pubname = ?1
                    AND pubinsert AND pubupdate AND pubdelete AND pubtruncate) AS complete,
                current_setting('max_replication_slots')::int - (SELECT count(*) FROM pg_replication_slots) AS slots,
                current_setting('max_wal_senders')::int - (SELECT count(*) FROM pg_stat_replication) AS senders
            """
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [publication]) else {
            throw Failure("the server has not returned its settings")
        }
        self.init(
            walLevel: row["level"], isStandby: row["standby"], role: row["role"],
            mayReplicate: row["replicates"],
            publication: publication, hasPublication: row["publications"] > 0,
            isComplete: row["complete"] > 0,
            freeSlotCount: row["slots"], freeSenderCount: row["senders"])
    }
}

enum SQLName {
    /// Returns a name with quotes, if it needs them.
    static func quoted(_ name: String) -> String {
        let isPlain =
            name.first.map { $0 == "_" || $0.isASCII && $0.isLowercase } ?? false
            && name.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLowercase || $0.isNumber) }
        return isPlain ? name : name.quotedDatabaseIdentifier
    }
}
