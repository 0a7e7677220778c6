import Vigil
import XCTest

final class ForeignKeyDefinitionTests: XCTestCase {
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase { db in
            try db.create(table: "team") { t in t.autoIncrementedPrimaryKey("id") }
            try db.create(table: "countries") { t in t.primaryKey("code", .text) }
            try db.create(table: "passport") { t in
                t.primaryKey {
                    t.column("citizenId", .integer)
                    t.column("countryCode", .text)
                }
            }
            try body(db)
        }
    }

    private func sql(_ db: Database, _ name: String) throws -> String? {
        try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [name])
    }

    func testBelongsToAddsAnIndexedColumn() throws {
        try inDatabase { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("team", onDelete: .cascade, onUpdate: .restrict, deferred: true)
                t.belongsTo("country").notNull()
                t.belongsTo("captain", inTable: "player", indexed: false)
                t.belongsTo("mentor", inTable: "Player").unique()
            }
            XCTAssertEqual(
                try sql(db, "player"),
                """
                CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, \
                "teamId" INTEGER REFERENCES "team"("id") \
                ON DELETE CASCADE ON UPDATE RESTRICT DEFERRABLE INITIALLY DEFERRED, \
                "countryCode" TEXT NOT NULL REFERENCES "countries"("code"), \
                "captainId" INTEGER REFERENCES "player"("id"), \
                "mentorId" INTEGER UNIQUE REFERENCES "player"("id"))
                """)
            let indexes = try db.indexes(on: "player").filter { $0.origin == .createIndex }
            XCTAssertEqual(
                Dictionary(uniqueKeysWithValues: indexes.map { ($0.name, $0.columns) }),
                ["player_on_teamId": ["teamId"], "player_on_countryCode": ["countryCode"]])
            XCTAssertTrue(try db.table("player", hasUniqueKey: ["mentorId"]))
            try db.execute(
                sql: """
                    INSERT INTO team VALUES (1); INSERT INTO countries VALUES ('FR');
                    INSERT INTO player (id, teamId, countryCode) VALUES (1, 1, 'FR');
                    DELETE FROM team;
                    """)
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player"), 0)
            XCTAssertThrowsError(try db.execute(sql: "INSERT INTO player (countryCode) VALUES ('XX')"))
        }
    }

    func testBelongsToReferencesAllColumnsOfACompositeKey() throws {
        try inDatabase { db in
            try db.create(table: "visa") { t in
                t.belongsTo("passport", onDelete: .setNull)
                t.belongsTo("old", inTable: "passport").unique().notNull()
            }
            let keys = try db.foreignKeys(on: "visa").sorted { $0.originColumns[0] > $1.originColumns[0] }
            XCTAssertEqual(
                keys.map(\.originColumns),
                [["passportCitizenId", "passportCountryCode"], ["oldCitizenId", "oldCountryCode"]])
            XCTAssertEqual(
                keys.map(\.destinationColumns), Array(repeating: ["citizenId", "countryCode"], count: 2))
            XCTAssertEqual(try db.columns(in: "visa").map(\.isNotNull), [false, false, true, true])
            let indexes = try db.indexes(on: "visa").sorted { $0.name < $1.name }
            XCTAssertEqual(
                indexes.map(\.name),
                [
                    "index_visa_on_oldCitizenId_oldCountryCode",
                    "index_visa_on_passportCitizenId_passportCountryCode",
                ])
            XCTAssertEqual(indexes.map(\.isUnique), [true, false])
        }
    }

    func testForeignKeysCanFormThePrimaryKey() throws {
        try inDatabase { db in
            try db.create(table: "membership") { t in
                t.primaryKey {
                    t.belongsTo("team", onDelete: .cascade)
                    t.belongsTo("country")
                }
                t.belongsTo("parent", inTable: "membership")
            }
            XCTAssertEqual(try db.primaryKey("membership").columns, ["teamId", "countryCode"])
            let columns = try db.columns(in: "membership")
            XCTAssertEqual(
                columns.map(\.name), ["teamId", "countryCode", "parentTeamId", "parentCountryCode"])
            XCTAssertEqual(columns.map(\.type), ["INTEGER", "TEXT", "INTEGER", "TEXT"])
            XCTAssertEqual(columns.map(\.isNotNull), [true, true, false, false])
            XCTAssertEqual(
                try db.indexes(on: "membership").filter { $0.origin == .createIndex }.count, 1)
        }
    }

    func testTableWithPluralNameCanReferToItselfBySingular() throws {
        try inDatabase { db in
            try db.create(table: "people") { t in
                t.primaryKey("uuid", .text)
                t.belongsTo("person")
            }
            XCTAssertEqual(try db.foreignKeys(on: "people").map(\.destinationTable), ["people"])
            XCTAssertEqual(try db.columns(in: "people").map(\.name), ["uuid", "personUuid"])
        }
    }

    func testBelongsToFindsTablesWithPluralNames() throws {
        let names = [
            "author": "Authors", "city": "cities", "day": "days", "box": "boxes", "hero": "heroes",
            "child": "children", "salesPerson": "salesPeople", "leaf": "leaves",
        ]
        try inDatabase { db in
            for (singular, plural) in names {
                try db.create(table: plural) { t in t.primaryKey("id", .integer) }
                try db.create(table: "of \(singular)") { t in t.belongsTo(singular) }
                let key = try XCTUnwrap(db.foreignKeys(on: "of \(singular)").first)
                XCTAssertEqual(key.destinationTable.lowercased(), plural.lowercased())
                XCTAssertEqual(key.originColumns, ["\(singular)Id"])
            }
            try db.create(table: "author") { t in t.primaryKey("uuid", .text) }
            try db.create(table: "book") { t in t.belongsTo("author") }
            XCTAssertEqual(try db.foreignKeys(on: "book").map(\.destinationTable), ["author"])
        }
    }

    func testTableWithoutKeyRefersToItsOwnRowID() throws {
        try inDatabase { db in
            try db.create(table: "node") { t in
                t.column("a").references("NODE")
                t.belongsTo("parent", inTable: "node", indexed: false)
            }
            XCTAssertEqual(
                try sql(db, "node"),
                """
                CREATE TABLE "node" ("a" REFERENCES "NODE"("rowid"), \
                "parentId" INTEGER REFERENCES "node"("rowid"))
                """)
        }
    }

    func testLiteralsMayDeclareTheKeyThatATableRefersTo() throws {
        for define: (TableDefinition) -> Void in [
            { $0.column(sql: "uuid TEXT PRIMARY KEY") },
            { t in
                t.column("uuid", .text)
                t.constraint(sql: "PRIMARY KEY (uuid)")
            },
        ] {
            try inDatabase { db in
                try db.create(table: "node") { t in
                    define(t)
                    t.column("parent").references("node")
                }
                XCTAssertEqual(try db.foreignKeys(on: "node").map(\.destinationColumns), [["uuid"]])
            }
        }
    }

    func testPrimaryKeyThatRefersToItselfThrows() throws {
        try inDatabase { db in
            XCTAssertThrowsError(
                try db.create(table: "t") { t in t.primaryKey { t.belongsTo("parent", inTable: "t") } })
            XCTAssertFalse(try db.tableExists("t"))
        }
    }

    func testReferenceToMissingTableThrows() throws {
        try inDatabase { db in
            for define: (TableDefinition) -> Void in [
                { $0.belongsTo("coach") }, { $0.belongsTo("coach", inTable: "nobody") },
                { $0.column("a").references("coach") }, { $0.foreignKey(["a"], references: "coach") },
            ] {
                XCTAssertThrowsError(try db.create(table: "t", body: define)) { error in
                    XCTAssert("\(error)".contains("no such table"), "\(error)")
                }
            }
            XCTAssertFalse(try db.tableExists("t"))
        }
    }

    func testReferencesDefaultToThePrimaryKey() throws {
        try inDatabase { db in
            try db.create(table: "t") { t in
                t.primaryKey("id", .integer)
                t.column("a").references("countries", onUpdate: .cascade)
                t.column("b").references("later", column: "x")
                t.column("c").references("t")
                t.column("d")
                t.column("e")
                t.foreignKey(["d", "e"], references: "passport", onDelete: .setDefault)
                t.foreignKey(["d"], references: "later", columns: ["y"], deferred: true)
            }
            let keys = try db.foreignKeys(on: "t").sorted { $0.id > $1.id }
            XCTAssertEqual(
                keys.map(\.destinationTable), ["countries", "later", "t", "passport", "later"])
            XCTAssertEqual(
                keys.map(\.destinationColumns),
                [["code"], ["x"], ["id"], ["citizenId", "countryCode"], ["y"]])
            XCTAssertTrue(
                try XCTUnwrap(sql(db, "t")).hasSuffix(
                    """
                    FOREIGN KEY ("d", "e") REFERENCES "passport"("citizenId", "countryCode") \
                    ON DELETE SET DEFAULT, \
                    FOREIGN KEY ("d") REFERENCES "later"("y") DEFERRABLE INITIALLY DEFERRED)
                    """))
        }
    }
}
