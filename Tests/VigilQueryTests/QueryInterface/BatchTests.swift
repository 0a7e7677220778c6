import Vigil
import XCTest

private struct Replacing: MutablePersistableRecord, FetchableRecord, Codable {
    static let databaseTableName = "reader"
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .ignore, update: .replace)
    var id: Int64
}

final class BatchTests: QueryInterfaceTestCase {
    func testRequestsDeleteTheirRows() throws {
        let deletions: [(QueryInterfaceRequest<Patron>, Int, String)] = [
            (Patron.all(), 3, "DELETE FROM \"reader\""),
            (Patron.filter(Col.age == nil), 1, "DELETE FROM \"reader\" WHERE \"age\" IS NULL"),
            (Patron.filter(keys: [1, 2]), 2, "DELETE FROM \"reader\" WHERE \"id\" IN (1, 2)"),
            (Patron.select(Col.name).order(Col.name), 3, "DELETE FROM \"reader\""),
            (Patron.none(), 0, "DELETE FROM \"reader\" WHERE 0"),
            (
                Patron.filter(Col.id > 1).groupByPrimaryKey().having(count(Col.age) == 1), 1,
                """
                DELETE FROM "reader" WHERE "id" IN (SELECT "id" FROM "reader" WHERE "id" > 1 GROUP BY "id" \
                HAVING COUNT("age") = 1)
                """
            ),
        ]
        for (request, count, sql) in deletions {
            try makeDatabase().write { db in
                let run = try statements(db) { XCTAssertEqual(try request.deleteAll(db), count, sql) }
                XCTAssertEqual(run.first, sql)
                XCTAssertEqual(try Patron.fetchCount(db), 3 - count, sql)
            }
        }
    }

    func testAliasedRequestsCanBeDeletedAndUpdated() throws {
        try makeDatabase().write { db in
            let request = Patron.aliased(TableAlias(name: "r")).filter(Col.id == 1)
            let run = try statements(db) { XCTAssertEqual(try request.updateAll(db, Col.age += 1), 1) }
            XCTAssertEqual(try Patron.find(db, id: 1).age, 41)
            XCTAssertEqual(
                run.last,
                db.supports(.upsert)
                    ? "UPDATE \"reader\" AS \"r\" SET \"age\" = \"r\".\"age\" + 1 WHERE \"r\".\"id\" = 1"
                    : """
                    UPDATE "reader" SET "age" = "age" + 1 WHERE "id" IN (SELECT "r"."id" FROM "reader" "r" \
                    WHERE "r"."id" = 1)
                    """)
            XCTAssertEqual(try request.deleteAll(db), 1)
            XCTAssertEqual(try Patron.selectID().fetchSet(db), [2, 3])
        }
    }

    func testLimitedRequestsCanBeDeletedAndUpdated() throws {
        try makeDatabase().write { db in
            XCTAssertEqual(try Patron.order(Col.name.desc).limit(1).deleteAll(db), 1)
            XCTAssertEqual(try Patron.selectID().fetchSet(db), [1, 2])
            XCTAssertEqual(
                try Patron.order(Col.name).limit(1, offset: 1).updateAll(db, Col.age.set(to: 5)), 1)
            XCTAssertEqual(try Patron.filter(Col.age == 5).fetchAll(db).map(\.id), [2])
        }
    }

    func testUpdatesApplyTheirAssignments() throws {
        let updates: [(ColumnAssignment, String, Int?)] = [
            (Col.age.set(to: 5), "\"age\" = 5", 5), (Col.age.set(to: nil), "\"age\" = NULL", nil),
            (Col.age.set(to: Col.id + 1), "\"age\" = \"id\" + 1", 2),
            (Col.age += 2, "\"age\" = \"age\" + 2", 42),
            (Col.age -= Col.id, "\"age\" = \"age\" - \"id\"", 39),
            (Col.age *= 2, "\"age\" = \"age\" * 2", 80),
            (Col.age /= 3, "\"age\" = \"age\" / 3", 13), (Col.age &= 12, "\"age\" = \"age\" & 12", 8),
            (Col.age |= 1, "\"age\" = \"age\" | 1", 41), (Col.age <<= 1, "\"age\" = \"age\" << 1", 80),
            (Col.age >>= 1, "\"age\" = \"age\" >> 1", 20),
            (Col.age -= Col.id - 1, "\"age\" = \"age\" - (\"id\" - 1)", 40),
        ]
        for (assignment, sql, age) in updates {
            try makeDatabase().write { db in
                let run = try statements(db) {
                    XCTAssertEqual(try Patron.filter(id: 1).updateAll(db, assignment), 1)
                }
                XCTAssertEqual(run, ["UPDATE \"reader\" SET \(sql) WHERE \"id\" = 1"])
                XCTAssertEqual(try Patron.find(db, id: 1).age, age, sql)
            }
        }
    }

    func testRecordTypesAndTablesCanBeUpdated() throws {
        try makeDatabase().write { db in
            XCTAssertEqual(try Patron.updateAll(db, Col.age.set(to: 1), Col.name.set(to: "x")), 3)
            XCTAssertEqual(try Patron.filter(Col.age == 1 && Col.name == "x").fetchCount(db), 3)
            XCTAssertEqual(try Patron.updateAll(db) { $0.age += 1 }, 3)
            XCTAssertEqual(
                try Patron.filter { $0.id < 3 }.updateAll(db) { [$0.age += 1, $0.name.set(to: "y")] }, 2)
            XCTAssertEqual(try Table("reader").updateAll(db, [Col.age += 10]), 3)
            XCTAssertEqual(try Patron.order(Col.id).fetchAll(db).map(\.age), [13, 13, 12])
            XCTAssertEqual(try Patron.updateAll(db, []), 0)
            XCTAssertEqual(try Table("reader").deleteAll(db), 3)
        }
    }

    func testConflictsOfUpdatesAreResolved() throws {
        try makeDatabase().write { db in
            let run = try statements(db) {
                _ = try Patron.filter(Col.id < 3).updateAll(db, onConflict: .ignore, Col.id.set(to: 3))
            }
            XCTAssertEqual(run, ["UPDATE OR IGNORE \"reader\" SET \"id\" = 3 WHERE \"id\" < 3"])
            XCTAssertThrowsError(try Patron.updateAll(db, Col.id.set(to: 3)))
            XCTAssertEqual(try Patron.selectID().fetchSet(db), [1, 2, 3])
        }
    }

    func testTheRecordTypeResolvesConflictsOfUpdates() throws {
        try makeDatabase().write { db in
            let run = try statements(db) {
                XCTAssertEqual(try Replacing.filter(key: 1).updateAll(db, Col.id.set(to: 3)), 1)
            }
            XCTAssertEqual(run, ["UPDATE OR REPLACE \"reader\" SET \"id\" = 3 WHERE \"id\" = 1"])
            XCTAssertEqual(try Patron.selectID().fetchSet(db), [2, 3])
            XCTAssertThrowsError(
                try Replacing.filter(key: 2).updateAll(db, onConflict: .abort, Col.id.set(to: 3)))
            XCTAssertThrowsError(try Table("reader").filter(key: 2).updateAll(db, Col.id.set(to: 3)))
            XCTAssertEqual(try Table<Replacing>("reader").filter(key: 2).updateAll(db, Col.id.set(to: 3)), 1)
            XCTAssertEqual(try Patron.selectID().fetchSet(db), [3])
        }
    }

    func testFetchedUpdatesResolveConflictsAsTheRecordTypeDoes() throws {
        try require(.returning)
        try makeDatabase().write { db in
            let updated = try Replacing.filter(key: 1).updateAndFetchAll(db, [Col.id.set(to: 3)])
            XCTAssertEqual(updated.map(\.id), [3])
            XCTAssertEqual(try Patron.selectID().fetchSet(db), [2, 3])
        }
    }

    func testDeletedAndUpdatedRecordsAreFetched() throws {
        try require(.returning)
        try makeDatabase().write { db in
            let run = try statements(db) {
                let updated = try Patron.filter(Col.id < 3).updateAndFetchAll(db, [Col.age.set(to: 7)])
                XCTAssertEqual(updated.map(\.age), [7, 7])
            }
            XCTAssertEqual(run, ["UPDATE \"reader\" SET \"age\" = 7 WHERE \"id\" < 3 RETURNING *"])
            XCTAssertEqual(try Patron.all().updateAndFetchSet(db) { [$0.age.set(to: 8)] }.count, 3)
            let statement = try Patron.all().updateAndFetchStatement(
                db, [Col.age += 1], selection: [.allColumns(excluding: ["name"])])
            XCTAssertEqual(
                statement.sql, "UPDATE \"reader\" SET \"age\" = \"age\" + ? RETURNING \"id\", \"age\"")
            XCTAssertEqual(try Row.fetchAll(statement).first, ["id": 1, "age": 9])
            XCTAssertEqual(try Patron.filter(id: 1).deleteAndFetchAll(db).map(\.name), ["Arthur"])
            XCTAssertEqual(try Patron.filter(id: 2).deleteAndFetchIds(db), [2])
            XCTAssertEqual(try Patron.all().deleteAndFetchSet(db).map(\.id), [3])
            XCTAssertEqual(try Patron.fetchCount(db), 0)
        }
    }

    func testOldLibrariesRejectReturning() throws {
        guard try !supports(.returning) else { throw XCTSkip("the library has RETURNING") }
        try makeDatabase().write { db in
            let version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
            let writes: [() throws -> Void] = [
                { _ = try Patron.all().deleteAndFetchAll(db) },
                { _ = try Patron.all().deleteAndFetchStatement(db, selection: [Col.id]) },
                { _ = try Patron.all().updateAndFetchAll(db, [Col.age.set(to: 1)]) },
                { _ = try Patron.all().updateAndFetchCursor(db) { [$0.age.set(to: 1)] } },
                { _ = try Patron.all().deleteAndFetchIds(db) },
            ]
            for write in writes {
                XCTAssertThrowsError(try write()) { error in
                    let error = error as? DatabaseError
                    XCTAssertEqual(error?.resultCode, .SQLITE_MISUSE)
                    for part in ["RETURNING", "3.35.0", version] {
                        XCTAssertTrue(error?.message?.contains(part) ?? false, error?.description ?? part)
                    }
                }
            }
            XCTAssertEqual(try Patron.filter(Col.age == 1).fetchCount(db), 0)
            XCTAssertEqual(try Patron.fetchCount(db), 3)
        }
    }

    func testConditionsOnMissingGroupsChangeNoRow() throws {
        try makeDatabase().write { db in
            let request = Patron.all().having(count(Col.age) == 1)
            let message = """
                a request of table reader with having(_:) cannot be deleted or updated without groups: \
                use filter(_:), or group by a unique key
                """
            assertError(.SQLITE_MISUSE, message) { try request.deleteAll(db) }
            assertError(.SQLITE_MISUSE, message) { try request.updateAll(db, Col.age += 1) }
            XCTAssertEqual(try Patron.fetchCount(db), 3)
        }
    }

    func testGroupsOfOneRowAreDeleted() throws {
        for groups in [[Col.id.sqlExpression], [-Col.id], [abs(Col.age), Col.id.sqlExpression]] {
            try makeDatabase().write { db in
                XCTAssertEqual(try Patron.all().group(groups).having(count(Col.age) == 1).deleteAll(db), 2)
                XCTAssertEqual(try Patron.fetchAll(db).map(\.id), [2])
            }
        }
    }

    private static let groupsOfSeveralRows = """
        the groups of a request of table reader cannot be deleted or updated: group by a unique key without NULL
        """

    func testGroupsOfSeveralRowsAreNotDeleted() throws {
        try makeDatabase().write { db in
            assertError(.SQLITE_MISUSE, Self.groupsOfSeveralRows) {
                try Patron.all().group(Col.age).deleteAll(db)
            }
            assertError(.SQLITE_MISUSE, Self.groupsOfSeveralRows) {
                try Patron.all().group(abs(Col.id)).deleteAll(db)
            }
            assertError(
                .SQLITE_MISUSE, "noOverwrite assigns nothing to the column age: use it in upserts only"
            ) { try Patron.updateAll(db, Col.age.noOverwrite) }
        }
    }

    /// All rows with NULL in a unique index are in one group.
    func testGroupsByAUniqueIndexAreDeletedUnlessItMayHaveNull() throws {
        try makeDatabase().write { db in
            try db.execute(
                sql: "CREATE UNIQUE INDEX byName ON reader(name); CREATE UNIQUE INDEX byAge ON reader(age)")
            assertError(.SQLITE_MISUSE, Self.groupsOfSeveralRows) {
                try Patron.all().group(Col.age).deleteAll(db)
            }
            XCTAssertEqual(try Patron.all().group(Col.name).having(count(Col.age) == 1).deleteAll(db), 2)
            XCTAssertEqual(try Patron.fetchAll(db).map(\.id), [2])
        }
    }

    /// RETURNING cannot precede or follow a limit of the statement itself.
    func testLimitedRequestsReturnTheirRows() throws {
        try makeDatabase().write { db in
            guard db.supports(.returning) else { return }
            let updated = try Patron.order(Col.id).limit(1).updateAndFetchAll(db, [Col.age.set(to: 5)])
            XCTAssertEqual(updated.map(\.age), [5])
            XCTAssertEqual(try Patron.order(Col.name.desc).limit(1).deleteAndFetchAll(db).map(\.id), [3])
            XCTAssertEqual(try Patron.order(Col.id).limit(1).deleteAndFetchIds(db), [1])
            XCTAssertEqual(try Patron.selectID().fetchAll(db), [2])
        }
    }

    func testALimitCountsTheDistinctRowsOfAJoin() throws {
        struct Team: TableRecord, FetchableRecord, Codable {
            var id: Int64
            static let players = hasMany(Player.self)
        }
        struct Player: TableRecord {}
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY);
                    CREATE TABLE player(id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team(id));
                    INSERT INTO team VALUES (1), (2), (3);
                    INSERT INTO player VALUES (1, 1), (2, 1), (3, 1), (4, 2), (5, 3);
                    PRAGMA defer_foreign_keys = ON;
                    """)
            let request = Team.joining(required: Team.players).distinct().order(Column("id")).limit(2)
            XCTAssertEqual(try request.fetchAll(db).map(\.id), [1, 2])
            XCTAssertEqual(try request.deleteAll(db), 2)
            XCTAssertEqual(try Team.fetchAll(db).map(\.id), [3])
            // The deferred foreign keys are checked at the end.
            try db.execute(sql: "DELETE FROM player")
        }
    }
}
