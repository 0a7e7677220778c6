import Foundation
import Vigil
import XCTest

/// The SQL and the results of expressions for JSON, and their errors in libraries without JSON.
final class JSONTests: XCTestCase {
    private typealias Expectation = (
        expression: any SQLSpecificExpressible, sql: String, value: (any DatabaseValueConvertible)?
    )

    private let (nameColumn, data, list) = (Column("name"), JSONColumn("data"), JSONColumn("list"))

    private func makeTable(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE info(id INTEGER PRIMARY KEY, name TEXT, data TEXT, list TEXT);
                INSERT INTO info VALUES
                    (1, 'Arthur', '{"city":"Paris","n":{"a":1}}', '[1, 2, 3]'),
                    (2, 'Barbara', '{"city":"Rome"}', '[]');
                """)
    }

    /// Checks the SQL of selected expressions, and their value in the first row, on each backend.
    ///
    /// Without the feature, the error must name it.
    private func check(
        needing feature: LibraryFeature = .json, line: UInt = #line, _ expectations: [Expectation]
    ) throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                try makeTable(db)
                for (expression, sql, value) in expectations {
                    let request = Table("info").filter(Column("id") == 1)
                        .select(expression, as: DatabaseValue.self)
                    guard db.supports(feature), db.supports(.json) else {
                        XCTAssertThrowsError(try request.fetchOne(db), sql, line: line) { error in
                            let error = error as? DatabaseError
                            XCTAssertEqual(error?.resultCode, .SQLITE_MISUSE, line: line)
                            let message = error?.message ?? ""
                            XCTAssertTrue(message.contains("needs SQLite 3."), message, line: line)
                        }
                        continue
                    }
                    var trace = ""
                    db.trace { trace = $0.expandedDescription }
                    XCTAssertEqual(
                        try request.fetchOne(db), value?.databaseValue ?? .null, sql, line: line)
                    db.trace()
                    XCTAssertEqual(trace, "SELECT \(sql) FROM \"info\" WHERE \"id\" = 1", line: line)
                }
            }
        }
    }

    func testValuesAreConvertedToJSON() throws {
        try check([
            (Database.json(#"{"a": [1, 2]}"#), #"JSON('{"a": [1, 2]}')"#, #"{"a":[1,2]}"#),
            (Database.json(list), "JSON(\"list\")", "[1,2,3]"),
            (Database.jsonQuote(nameColumn), "JSON_QUOTE(\"name\")", "\"Arthur\""),
            (Database.jsonQuote(list), "JSON_QUOTE(JSON(\"list\"))", "[1,2,3]"),
            (Database.jsonArray([1, 2]), "JSON_ARRAY(1, 2)", "[1,2]"),
            (Database.jsonArray([Int]()), "JSON_ARRAY()", "[]"),
            (
                Database.jsonArray([nameColumn, 1, data["city"]] as [any SQLExpressible]),
                "JSON_ARRAY(\"name\", 1, \"data\" ->> 'city')", #"["Arthur",1,"Paris"]"#
            ),
            (
                Database.jsonObject(["name": nameColumn, "id": Column("id")]),
                "JSON_OBJECT('id', \"id\", 'name', \"name\")", #"{"id":1,"name":"Arthur"}"#
            ),
            (
                Database.jsonObject(["z": 1, "a": list] as KeyValuePairs<String, any SQLExpressible>),
                "JSON_OBJECT('z', 1, 'a', JSON(\"list\"))", #"{"z":1,"a":[1,2,3]}"#
            ),
        ])
    }

    func testMarkedExpressionsAreReadAsJSONInsteadOfText() throws {
        try check([
            (Database.jsonArray([Column("list")]), "JSON_ARRAY(\"list\")", #"["[1, 2, 3]"]"#),
            (Database.jsonArray([list]), "JSON_ARRAY(JSON(\"list\"))", "[[1,2,3]]"),
            (Database.jsonArray([Column("list").asJSON]), "JSON_ARRAY(JSON(\"list\"))", "[[1,2,3]]"),
            (Database.jsonArray([list.asJSON]), "JSON_ARRAY(JSON(\"list\"))", "[[1,2,3]]"),
            (
                Database.jsonArray([AnySQLJSONExpressible(list)]), "JSON_ARRAY(JSON(\"list\"))",
                "[[1,2,3]]"
            ),
            // The results of JSON functions are not text.
            (Database.jsonArray([Database.jsonArray([1])]), "JSON_ARRAY(JSON_ARRAY(1))", "[[1]]"),
            (Database.jsonArray([Database.jsonArray([1]).asJSON]), "JSON_ARRAY(JSON_ARRAY(1))", "[[1]]"),
            (
                Database.jsonArray([data.jsonRepresentation(atPath: "n").asJSON]),
                "JSON_ARRAY(\"data\" -> 'n')", #"[{"a":1}]"#
            ),
            (
                Database.jsonArray([data.jsonExtract(atPaths: ["$.city", "$.n"]).asJSON]),
                "JSON_ARRAY(JSON_EXTRACT(\"data\", '$.city', '$.n'))", #"[["Paris",{"a":1}]]"#
            ),
            (
                Database.jsonArray([data.jsonExtract(atPath: "$.n").asJSON]),
                "JSON_ARRAY(JSON(JSON_EXTRACT(\"data\", '$.n')))", #"[{"a":1}]"#
            ),
            (Database.jsonArray([DatabaseValue.null.asJSON]), "JSON_ARRAY(NULL)", "[null]"),
        ])
    }

    func testPartsAreExtracted() throws {
        try check([
            (data["city"], "\"data\" ->> 'city'", "Paris"), (list[1], "\"list\" ->> 1", 2),
            (data["$.n.a"], "\"data\" ->> '$.n.a'", 1), (data["missing"], "\"data\" ->> 'missing'", nil),
            (data.jsonRepresentation(atPath: "city"), "\"data\" -> 'city'", "\"Paris\""),
            (
                data.jsonRepresentation(atPath: "n").asJSON["a"], "(\"data\" -> 'n') ->> 'a'", 1
            ),
            (data.jsonExtract(atPath: "$.city"), "JSON_EXTRACT(\"data\", '$.city')", "Paris"),
            (
                data.jsonExtract(atPaths: ["$.city", "$.n"]), "JSON_EXTRACT(\"data\", '$.city', '$.n')",
                #"["Paris",{"a":1}]"#
            ),
            (Database.jsonExtract(data, atPath: "$.n"), "JSON_EXTRACT(\"data\", '$.n')", #"{"a":1}"#),
            (data["city"] == "Paris", "(\"data\" ->> 'city') = 'Paris'", true),
            (list[0] + list[1], "(\"list\" ->> 0) + (\"list\" ->> 1)", 3),
            (Database.jsonArrayLength(list), "JSON_ARRAY_LENGTH(\"list\")", 3),
            (
                Database.jsonArrayLength(#"{"a": [1]}"#, atPath: "$.a"),
                #"JSON_ARRAY_LENGTH('{"a": [1]}', '$.a')"#, 1
            ),
            (Database.jsonType(data), "JSON_TYPE(\"data\")", "object"),
            (Database.jsonType(data, atPath: "$.n.a"), "JSON_TYPE(\"data\", '$.n.a')", "integer"),
            (Database.jsonIsValid(data), "JSON_VALID(\"data\")", true),
            (Database.jsonIsValid(nameColumn), "JSON_VALID(\"name\")", false),
        ])
    }

    func testPartsAreModified() throws {
        try check([
            (Database.jsonInsert(list, ["$[#]": 4]), "JSON_INSERT(\"list\", '$[#]', 4)", "[1,2,3,4]"),
            (
                Database.jsonInsert(list, ["$[3]": list]), "JSON_INSERT(\"list\", '$[3]', JSON(\"list\"))",
                "[1,2,3,[1,2,3]]"
            ),
            (
                Database.jsonReplace(list, ["$[0]": nameColumn]), "JSON_REPLACE(\"list\", '$[0]', \"name\")",
                #"["Arthur",2,3]"#
            ),
            (
                Database.jsonSet(data, ["$.n": 2, "$.city": "Rome"]),
                "JSON_SET(\"data\", '$.city', 'Rome', '$.n', 2)", #"{"city":"Rome","n":2}"#
            ),
            (
                Database.jsonPatch(data, with: #"{"n":null}"#), #"JSON_PATCH("data", '{"n":null}')"#,
                #"{"city":"Paris"}"#
            ),
            (Database.jsonRemove(list, atPath: "$[0]"), "JSON_REMOVE(\"list\", '$[0]')", "[2,3]"),
            (
                Database.jsonRemove(list, atPaths: ["$[0]", "$[0]"]),
                "JSON_REMOVE(\"list\", '$[0]', '$[0]')", "[3]"
            ),
        ])
    }

    func testRowsAreAggregated() throws {
        let id = Column("id")
        try check([
            (Database.jsonGroupArray(id), "JSON_GROUP_ARRAY(\"id\")", "[1]"),
            (Database.jsonGroupArray(list), "JSON_GROUP_ARRAY(JSON(\"list\"))", "[[1,2,3]]"),
            (
                Database.jsonGroupArray(id, filter: id > 1),
                "JSON_GROUP_ARRAY(\"id\") FILTER (WHERE \"id\" > 1)", "[]"
            ),
            (
                Database.jsonGroupObject(key: nameColumn, value: list),
                "JSON_GROUP_OBJECT(\"name\", JSON(\"list\"))", #"{"Arthur":[1,2,3]}"#
            ),
            (
                Database.jsonArray([Database.jsonGroupArray(id)]),
                "JSON_ARRAY(JSON_GROUP_ARRAY(\"id\"))", "[[1]]"
            ),
        ])
        try check(
            needing: .aggregateOrdering,
            [
                (
                    Database.jsonGroupArray(id, orderBy: id.desc),
                    "JSON_GROUP_ARRAY(\"id\" ORDER BY \"id\" DESC)", "[1]"
                )
            ])
    }

    func testBinaryFunctions() throws {
        func text(_ expression: SQLExpression) -> SQLExpression { Database.json(expression) }
        try check(
            needing: .jsonb,
            [
                (text(Database.jsonb(list)), "JSON(JSONB(\"list\"))", "[1,2,3]"),
                (text(Database.jsonbArray([1, 2])), "JSON(JSONB_ARRAY(1, 2))", "[1,2]"),
                (
                    text(Database.jsonbArray([nameColumn, list] as [any SQLExpressible])),
                    "JSON(JSONB_ARRAY(\"name\", JSON(\"list\")))", #"["Arthur",[1,2,3]]"#
                ),
                (Database.jsonbExtract(data, atPath: "$.city"), "JSONB_EXTRACT(\"data\", '$.city')", "Paris"),
                (
                    text(Database.jsonbExtract(list, atPaths: ["$[0]", "$[1]"])),
                    "JSON(JSONB_EXTRACT(\"list\", '$[0]', '$[1]'))", "[1,2]"
                ),
                (
                    text(Database.jsonbInsert(list, ["$[#]": 4])), "JSON(JSONB_INSERT(\"list\", '$[#]', 4))",
                    "[1,2,3,4]"
                ),
                (
                    text(Database.jsonbReplace(list, ["$[0]": 4])),
                    "JSON(JSONB_REPLACE(\"list\", '$[0]', 4))", "[4,2,3]"
                ),
                (
                    text(Database.jsonbSet(list, ["$[0]": 4])), "JSON(JSONB_SET(\"list\", '$[0]', 4))",
                    "[4,2,3]"
                ),
                (text(Database.jsonbObject(["a": 1])), "JSON(JSONB_OBJECT('a', 1))", #"{"a":1}"#),
                (
                    text(Database.jsonbPatch(data, with: #"{"n":null}"#)),
                    #"JSON(JSONB_PATCH("data", '{"n":null}'))"#, #"{"city":"Paris"}"#
                ),
                (
                    text(Database.jsonbRemove(list, atPath: "$[0]")), "JSON(JSONB_REMOVE(\"list\", '$[0]'))",
                    "[2,3]"
                ),
                (
                    text(Database.jsonbRemove(list, atPaths: ["$[0]", "$[0]"])),
                    "JSON(JSONB_REMOVE(\"list\", '$[0]', '$[0]'))", "[3]"
                ),
                (
                    text(Database.jsonbGroupArray(nameColumn)), "JSON(JSONB_GROUP_ARRAY(\"name\"))",
                    #"["Arthur"]"#
                ),
                (
                    text(Database.jsonbGroupObject(key: nameColumn, value: 1)),
                    "JSON(JSONB_GROUP_OBJECT(\"name\", 1))", #"{"Arthur":1}"#
                ),
            ])
        try check(
            needing: .jsonErrorPosition,
            [(Database.jsonErrorPosition(list), "JSON_ERROR_POSITION(\"list\")", 0)])
        try check(
            needing: .jsonValidationOptions,
            [(Database.jsonIsValid(list, options: [.json, .json5]), "JSON_VALID(\"list\", 3)", true)])
    }
}

/// JSON columns in requests.
final class JSONRequestTests: XCTestCase {
    private struct Info: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
        struct Address: Codable, Equatable {
            var city: String
            var number: Int?
        }

        var id: Int64
        var address: Address?

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let address = JSONColumn(CodingKeys.address)
        }
    }

    private enum RawColumns: String, ColumnExpression, SQLJSONExpressible {
        case address
    }

    /// Runs a test on each backend with JSON.
    private func onEachDatabase(_ body: (Database) throws -> Void) throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                guard db.supports(.json), db.supports(.jsonOperators) else { return }
                try db.execute(sql: "CREATE TABLE info(id INTEGER PRIMARY KEY, address TEXT)")
                for (id, city) in [(1, "Paris"), (2, "Rome"), (3, "Paris")] {
                    var info = Info(id: Int64(id), address: .init(city: city, number: id))
                    try info.insert(db)
                }
                var unknown = Info(id: 4)
                try unknown.insert(db)
                try body(db)
            }
        }
    }

    func testRecordsAreFilteredAndOrderedByPartsOfTheirProperties() throws {
        try onEachDatabase { db in
            let inParis = Info.filter { $0.address["city"] == "Paris" }
            XCTAssertEqual(try inParis.fetchAll(db).map(\.id), [1, 3])
            XCTAssertEqual(try inParis.order { $0.address["number"].desc }.fetchAll(db).map(\.id), [3, 1])
            XCTAssertEqual(
                try Info.select({ $0.address["city"] }, as: String?.self).fetchAll(db),
                ["Paris", "Rome", "Paris", nil])
            XCTAssertEqual(try Info.filter { $0.address == nil }.fetchAll(db), [Info(id: 4)])
            XCTAssertEqual(try Info.filter(RawColumns.address["number"] > 1).fetchCount(db), 2)
            let counts = Info.select { [$0.address["city"], count($0.id)] }.group { $0.address["city"] }
                .order { $0.address["city"] }.asRequest(of: Row.self)
            XCTAssertEqual(try counts.fetchAll(db).map { $0[1] as Int }, [1, 2, 1])
        }
    }

    func testPartsOfPropertiesAreUpdated() throws {
        try onEachDatabase { db in
            try Info.filter { $0.address["city"] == "Rome" }.updateAll(db) {
                $0.address.set(to: Database.jsonSet($0.address, ["$.city": "Milan"]))
            }
            XCTAssertEqual(try Info.fetchOne(db, key: 2)?.address, .init(city: "Milan", number: 2))
            // A whole value that is stored in another one must be JSON, not a string.
            try Info.filter(key: 2).updateAll(
                db, JSONColumn("address").set(to: Database.jsonObject(["inner": JSONColumn("address")])))
            XCTAssertEqual(
                try String.fetchOne(db, sql: "SELECT address ->> '$.inner.city' FROM info WHERE id = 2"),
                "Milan")
        }
    }

    func testAliasesKnowJSONColumns() throws {
        try onEachDatabase { db in
            let info = TableAlias(name: "i", for: Info.self)
            let city: SQLExpression = info.address["city"]
            let sameCity: SQLExpression = info[JSONColumn("address")]["city"]
            let request = Info.aliased(info).filter(city == "Rome" && sameCity == "Rome")
            XCTAssertEqual(
                try request.makePreparedRequest(db).statement.sql,
                """
                SELECT "i".* FROM "info" "i" WHERE (("i"."address" ->> ?) = ?) AND (("i"."address" ->> ?) = ?)
                """)
            XCTAssertEqual(try request.fetchAll(db).map(\.id), [2])
            let object = Database.jsonArray([info[JSONColumn("address")]])
            XCTAssertEqual(
                try request.select(object).makePreparedRequest(db).statement.sql.components(
                    separatedBy: " FROM")[0],
                "SELECT JSON_ARRAY(JSON(\"i\".\"address\"))")
        }
    }

    func testMalformedJSONIsAnErrorOfTheLibrary() throws {
        try onEachDatabase { db in
            try db.execute(sql: "INSERT INTO info VALUES (5, '{')")
            assertDatabaseError(.SQLITE_ERROR, "malformed JSON") {
                try Info.filter { $0.address["city"] == "x" }.fetchAll(db)
            }
            XCTAssertEqual(
                try Info.filter { $0.address != nil && !Database.jsonIsValid($0.address) }.fetchCount(db), 1)
        }
    }

    func testRegionsAreThoseOfTheSameSQL() throws {
        try onEachDatabase { db in
            let requests: [(QueryInterfaceRequest<Info>, String)] = [
                (
                    Info.filter { $0.address["city"] == "Paris" },
                    "SELECT * FROM info WHERE address ->> 'city' = 'Paris'"
                ),
                (
                    Info.select { $0.address.jsonExtract(atPath: "$.city") }.filter { $0.id > 2 },
                    "SELECT JSON_EXTRACT(address, '$.city') FROM info WHERE id > 2"
                ),
                (
                    Info.select { Database.jsonGroupArray($0.address) }.filter { $0.id > 2 || $0.id < 0 },
                    "SELECT JSON_GROUP_ARRAY(JSON(address)) FROM info WHERE id > 2 OR id < 0"
                ),
                (
                    Info.filter { $0.address == "{}" },
                    "SELECT * FROM info WHERE address = '{}'"
                ),
            ]
            for (request, sql) in requests {
                XCTAssertEqual(
                    try request.databaseRegion(db).debugDescription,
                    try SQLRequest<Row>(sql: sql).databaseRegion(db).debugDescription, sql)
            }
            XCTAssertEqual(
                try Info.filter { $0.id == 1 && $0.address["city"] == "Paris" }.databaseRegion(db)
                    .description,
                "info(address,id)[1]")
        }
    }
}
