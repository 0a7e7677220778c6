import Foundation
import Vigil
import XCTest

private struct Parent: TableRecord, FetchableRecord, EncodableRecord {
    static let children = hasMany(Child.self, using: ForeignKey(["k"], to: ["k"]))
    static let pairs = hasMany(Child.self, key: "pairs", using: ForeignKey(["k", "l"], to: ["k", "l"]))
    static let grandchildren = hasMany(Child.self, through: children, using: Child.twins)
    var id: Int64
    var k: DatabaseValue
    var l: DatabaseValue

    init(row: Row) {
        (id, k, l) = (row["id"], row["k"], row["l"])
    }

    func encode(to container: inout PersistenceContainer) {
        container["k"] = k
        container["l"] = l
    }
}

private struct Child: TableRecord, FetchableRecord, Codable {
    static let twins = hasMany(Child.self, key: "twins", using: ForeignKey(["k"], to: ["k"]))
    var id: Int64
}

/// Prefetched rows belong to the parents that SQL would join them with.
final class KeyComparisonTests: QueryInterfaceTestCase {
    private static let types = ["INTEGER", "REAL", "TEXT", "BLOB", "", "NUMERIC"]
    private static let values = [
        "NULL", "1", "1.0", "'1'", "'01'", "' 1'", "'1.0'", "'1e0'", "'1abc'", "2.5", "'2.5'", "''", "'a'",
        "'A'",
        "'a '", "'é'", "'É'", "'e\u{301}'", "X'31'", "X'61'", "1e300", "'0.1'", "0.1",
    ]
    private static let largeValues = [
        "9007199254740993", "'9007199254740993'", "9007199254740992.0", "9223372036854775807",
        "'9223372036854775808'",
    ]

    private func makeTables(_ db: Database, parent: String, child: String) throws {
        try db.execute(
            sql: """
                DROP TABLE IF EXISTS parent; DROP TABLE IF EXISTS child;
                CREATE TABLE parent(id INTEGER PRIMARY KEY, k \(parent), l \(parent));
                CREATE TABLE child(id INTEGER PRIMARY KEY, k \(child), l \(child));
                CREATE INDEX childKey ON child(k);
                """)
        // Whether SQL rounds integers before it compares them with reals depends on the index that it uses.
        let hasReals = parent.hasPrefix("REAL") || child.hasPrefix("REAL")
        let values = (hasReals ? Self.values : Self.values + Self.largeValues).map { "(\($0), \($0))" }
        for table in ["parent", "child"] {
            try db.execute(sql: "INSERT INTO \(table)(k, l) VALUES \(values.joined(separator: ", "))")
        }
    }

    /// Returns the identifiers of joined rows, as SQL finds them.
    private func joined(_ db: Database, on condition: String) throws -> [[Int64]] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT parent.id, child.id FROM parent JOIN child ON \(condition) ORDER BY parent.id, child.id
                """
        ).map { [$0[0], $0[1]] }
    }

    private func prefetched(_ db: Database, _ children: HasManyAssociation<Parent, Child>) throws -> [[Int64]]
    {
        let request = Parent.including(all: children.orderByPrimaryKey()).orderByPrimaryKey()
        return try Row.fetchAll(db, request).flatMap { row -> [[Int64]] in
            let key = row.prefetchedRows.keys.first ?? ""
            return (row.prefetchedRows[key] ?? []).map { [row["id"], $0["id"]] }
        }
    }

    private func onEachPair(
        collations: [String], _ body: (Database, _ label: String) throws -> Void
    ) throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                db.add(
                    collation: DatabaseCollation("loose") { one, other in
                        one.lowercased().compare(other.lowercased())
                    })
                for parent in Self.types {
                    for child in Self.types {
                        for collation in collations {
                            let (parent, child) = ("\(parent) \(collation)", "\(child) \(collation)")
                            try makeTables(db, parent: parent, child: child)
                            try body(db, "parent \(parent), child \(child)")
                        }
                    }
                }
            }
        }
    }

    func testPrefetchedRowsAreThoseThatSQLJoins() throws {
        try onEachPair(collations: ["", "COLLATE NOCASE", "COLLATE RTRIM", "COLLATE loose"]) { db, label in
            let expected = try joined(db, on: "child.k = parent.k")
            XCTAssertFalse(expected.isEmpty, label)
            XCTAssertEqual(try prefetched(db, Parent.children), expected, label)
        }
    }

    func testPrefetchedRowsOfSeveralColumnsAreThoseThatSQLJoins() throws {
        try onEachPair(collations: ["", "COLLATE NOCASE"]) { db, label in
            let expected = try joined(db, on: "child.k = parent.k AND child.l = parent.l")
            XCTAssertEqual(try prefetched(db, Parent.pairs), expected, label)
        }
    }

    func testRowsOfOneParentAreThoseThatSQLJoins() throws {
        try onEachPair(collations: ["", "COLLATE NOCASE"]) { db, label in
            let expected = try joined(db, on: "child.k = parent.k")
            let found = try Parent.orderByPrimaryKey().fetchAll(db).flatMap { parent in
                try parent.request(for: Parent.children).orderByPrimaryKey().fetchAll(db).map {
                    [parent.id, $0.id]
                }
            }
            XCTAssertEqual(found, expected, label)
        }
    }

    func testRowsOfAViewAreThoseThatSQLJoins() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                for collation in ["", "COLLATE NOCASE"] {
                    try makeTables(db, parent: "TEXT", child: "TEXT \(collation)")
                    try db.execute(
                        sql: "ALTER TABLE child RENAME TO stored; CREATE VIEW child AS SELECT * FROM stored")
                    let children = Parent.hasMany(Child.self, using: ForeignKey(["k"], to: ["k"]))
                        .order(Column("id"))
                    let rows = try Row.fetchAll(db, Parent.including(all: children).orderByPrimaryKey())
                    let found = rows.flatMap { row in
                        (row.prefetchedRows["children"] ?? []).map { [row["id"], $0["id"]] as [Int64] }
                    }
                    XCTAssertEqual(found, try joined(db, on: "child.k = parent.k"), collation)
                    try db.execute(sql: "DROP VIEW child; DROP TABLE stored")
                }
            }
        }
    }

    func testKeysOfUsualTypesAreFetchedByOneStatement() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                for (parent, child, count) in [
                    ("INTEGER", "INTEGER", 1), ("TEXT", "TEXT", 1), ("TEXT", "TEXT COLLATE NOCASE", 1),
                    ("TEXT", "INTEGER", 1), ("INTEGER", "", 1),
                ] {
                    try makeTables(db, parent: parent, child: child)
                    for table in ["parent", "child"] {
                        try db.execute(sql: "DELETE FROM \(table) WHERE k NOT IN (1, '1', 'a', 'A', 2.5)")
                    }
                    let run = try statements(db) {
                        _ = try Parent.including(all: Parent.children).fetchAll(db)
                    }
                    XCTAssertEqual(run.count, 1 + count, "\(parent), \(child)")
                }
            }
        }
    }

    func testMoreKeysThanParametersAreConverted() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try makeTables(db, parent: "INTEGER", child: "TEXT")
                let count = min(db.maximumStatementArgumentCount, 40_000) + 1
                try db.execute(
                    sql: """
                        DELETE FROM parent; DELETE FROM child;
                        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                        INSERT INTO parent(id, k) SELECT i, i FROM n;
                        INSERT INTO child(k) VALUES ('1'), ('01'), (' \(count)'), ('x');
                        """)
                let rows = try Row.fetchAll(db, Parent.including(all: Parent.children).orderByPrimaryKey())
                let sizes = rows.map { $0.prefetchedRows["children"]?.count ?? 0 }
                XCTAssertEqual(sizes.first, 2)
                XCTAssertEqual(sizes.last, 1)
                XCTAssertEqual(sizes.reduce(0, +), 3)
            }
        }
    }
}
