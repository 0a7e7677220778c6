import Vigil

/// The settings of a server that a stream of changes needs.
struct ServerSettings: Equatable {
    var walLevel: String
    var isStandby: Bool
    var role: Name
    var mayReplicate: Bool
    /// Whether the server grants a role in place of the attribute REPLICATION, as Amazon RDS does.
    var hasReplicationRole: Bool
    var publication: Name
    /// Whether the publication exists, and the operations that it lacks.
    var hasPublication: Bool
    var isComplete: Bool
    /// Whether the publication names the roots of partitions in their place.
    var publishesRoots: Bool
    var slots: Limit
    var senders: Limit
    /// The setting `synchronous_standby_names`.
    var synchronousStandbys: String
    /// The schemas searched by the role for tables without a schema in their name, in SQL.
    var searchPath = "public"

    struct Name: Equatable {
        var text: String
        /// The name in SQL.
        var quoted: String
    }

    struct Limit: Equatable {
        var count: Int
        var freeCount: Int
    }

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
        if !mayReplicate, hasReplicationRole {
            problems.append(
                (
                    "the role \(role.text) is not a member of rds_replication",
                    "GRANT rds_replication TO \(role.quoted)"
                ))
        } else if !mayReplicate {
            problems.append(
                (
                    "the role \(role.text) does not have the attribute REPLICATION",
                    "ALTER ROLE \(role.quoted) REPLICATION"
                ))
        }
        if !hasPublication {
            problems.append(("the database has no publication named \(publication.text)", nil))
        } else if !isComplete {
            problems.append(
                (
                    "the publication \(publication.text) does not publish all of insert, update, delete and truncate",
                    "ALTER PUBLICATION \(publication.quoted) SET (publish = 'insert, update, delete, truncate')"
                ))
        }
        if slots.freeCount < 1 {
            problems.append(
                (
                    "all replication slots are in use",
                    "ALTER SYSTEM SET max_replication_slots = \(slots.count + 10)"
                ))
        }
        if senders.freeCount < 1 {
            problems.append(
                ("all senders are in use", "ALTER SYSTEM SET max_wal_senders = \(senders.count + 10)"))
        }
        if synchronousStandbys.contains("*") {
            problems.append(
                (
                    "synchronous_standby_names contains *, so a pool may take the place of a standby: name the standbys",
                    nil
                ))
        }
        return problems
    }
}

extension ServerSettings {
    init(_ db: Database, publication: String) throws {
        let sql = """
            SELECT current_setting('wal_level') AS level, pg_is_in_recovery()::int AS standby, session_user::text AS role,
                quote_ident(session_user) AS quoted, quote_ident(?1) AS publication,
                EXISTS (SELECT FROM pg_roles WHERE rolname = session_user AND (rolreplication OR rolsuper)
                    OR rolname IN ('rds_replication', 'mdb_replication') AND pg_has_role(session_user, oid, 'MEMBER'))::int
                    AS replicates,
                EXISTS (SELECT FROM pg_roles WHERE rolname = 'rds_replication')::int AS grants,
                (SELECT count(*) FROM pg_publication WHERE pubname = ?1) AS publications,
                (SELECT count(*) FROM pg_publication WHERE pubname = ?1
                    AND pubinsert AND pubupdate AND pubdelete AND pubtruncate) AS complete,
                (SELECT count(*) FROM pg_publication WHERE pubname = ?1 AND pubviaroot) AS roots,
                current_setting('max_replication_slots')::int AS slots,
                (SELECT count(*) FROM pg_replication_slots) AS slots_used,
                current_setting('max_wal_senders')::int AS senders,
                (SELECT count(*) FROM pg_stat_replication) AS senders_used,
                current_setting('synchronous_standby_names') AS standbys,
                (SELECT string_agg(quote_ident(name), ', ' ORDER BY position)
                    FROM unnest(current_schemas(false)) WITH ORDINALITY AS path (name, position)) AS path
            """
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [publication]) else {
            throw Failure("the server has not returned its settings")
        }
        func limit(_ count: Int, used: Int) -> Limit { Limit(count: count, freeCount: count - used) }
        self.init(
            walLevel: row["level"], isStandby: row["standby"],
            role: Name(text: row["role"], quoted: row["quoted"]), mayReplicate: row["replicates"],
            hasReplicationRole: row["grants"],
            publication: Name(text: publication, quoted: row["publication"]),
            hasPublication: row["publications"] > 0, isComplete: row["complete"] > 0,
            publishesRoots: row["roots"] > 0, slots: limit(row["slots"], used: row["slots_used"]),
            senders: limit(row["senders"], used: row["senders_used"]),
            synchronousStandbys: row["standbys"], searchPath: row["path"] ?? "")
    }
}
