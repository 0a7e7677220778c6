#if PostgreSQL
    import Foundation
    import Vigil
    import XCTest

    private struct Address: Codable, Equatable {
        var street: String
        var numbers: [Int]
    }

    private enum Level: String, Codable {
        case low, high
    }

    /// A record with a property of each type.
    private struct Everything: Codable, Equatable, FetchableRecord, PersistableRecord {
        var id: Int
        var flag: Bool
        var small: Int8
        var big: Int64
        var double: Double
        var float: Float
        var whole: Double
        var amount: Double
        var text: String
        var level: Level
        var url: URL
        var date: Date
        var uuid: UUID
        var data: Data
        var empty: Data
        var decimal: Decimal
        var address: Address
        var list: [String]
        var missing: String?

        static func example(id: Int) -> Everything {
            Everything(
                id: id, flag: id == 1, small: -128, big: .min, double: 0.1, float: 1.5, whole: 3,
                amount: 2.75,
                text: #"it's \ "é" 🎈\n"#, level: .high, url: URL(fileURLWithPath: "/tmp/a b"),
                date: Date(timeIntervalSince1970: 1_700_000_000.125), uuid: UUID(),
                data: Data([0, 1, 0x5C, 255]),
                empty: Data(), decimal: Decimal(sign: .minus, exponent: -4, significand: 12_345_678_901),
                address: Address(street: "Main", numbers: [1, 2]), list: ["a", "b"], missing: nil)
        }
    }

    /// Values of records, with the same results as in SQLite.
    final class ValueComparisonTests: ComparisonTestCase {
        override func createTables(_ db: Database) throws {
            try db.create(table: "everything") { t in
                t.primaryKey("id", .integer)
                t.column("flag", .boolean).notNull()
                t.column("small", .integer).notNull()
                t.column("big", .integer).notNull()
                t.column("double", .double).notNull()
                t.column("float", .real).notNull()
                t.column("whole", .double).notNull()
                t.column("amount", .numeric).notNull()
                t.column("text", .text).notNull()
                t.column("level", .text).notNull()
                t.column("url", .text).notNull()
                t.column("date", .datetime).notNull()
                t.column("uuid", .blob).notNull()
                t.column("data", .blob).notNull()
                t.column("empty", .blob).notNull()
                t.column("decimal", .text).notNull()
                t.column("address", .jsonText).notNull()
                t.column("list", .jsonText).notNull()
                t.column("missing", .text)
            }
        }

        func testRecordsAreReadAsTheyWereWritten() {
            let records = [Everything.example(id: 1), Everything.example(id: 2)]
            assertSameWrites { db in
                for record in records { try record.insert(db) }
                XCTAssertEqual(try Everything.order(Column("id")).fetchAll(db), records)
                var changed = records[0]
                changed.flag = false
                changed.missing = "found"
                changed.date += 1
                changed.decimal += 1
                XCTAssertTrue(try changed.updateChanges(db, from: records[0]))
                XCTAssertEqual(try Everything.fetchOne(db, key: 1), changed)
                XCTAssertFalse(try changed.updateChanges(db, from: try Everything.find(db, key: 1)))
                let matches: [Int] = try [
                    Everything.filter(Column("uuid") == records[1].uuid),
                    Everything.filter(Column("flag") == false),
                    Everything.filter(Column("date") > records[0].date),
                    Everything.filter(Column("data") == changed.data),
                    Everything.filter(Column("double") == 0.1), Everything.filter(Column("float") < 2),
                    Everything.filter(Column("big") == Int64.min),
                    Everything.filter(Column("text") == changed.text),
                    Everything.filter(Column("level") == "high"),
                    Everything.filter([0.1, 0.2].contains(Column("double"))),
                    Everything.filter([records[0].uuid, records[1].uuid].contains(Column("uuid"))),
                ].map { try $0.fetchCount(db) }
                return try Everything.fetchAll(db).sorted { $0.id < $1.id }.map { "\($0)" } + ["\(matches)"]
            }
        }

        func testSingleValuesAreDecoded() {
            assertSameWrites { db in
                try Everything.example(id: 1).insert(db)
                func value<T: DatabaseValueConvertible & StatementColumnConvertible>(
                    _ column: String, _ type: T.Type
                ) throws -> String {
                    "\(try Everything.select(Column(column), as: T.self).fetchOne(db) as T?)"
                }
                let row = try XCTUnwrap(Row.fetchOne(db, Everything.all()))
                return try [
                    value("flag", Bool.self), value("flag", Int.self), value("small", Int8.self),
                    value("big", Int64.self),
                    value("double", Double.self), value("whole", Int.self), value("decimal", Decimal.self),
                    value("amount", Double.self), value("amount", Int.self), value("decimal", String.self),
                    value("date", Date.self), value("data", Data.self),
                    value("missing", String.self),
                    "\(Everything.select(Column("url"), as: URL.self).fetchOne(db) as URL?)",
                    "\(row["flag"] as Bool) \(row["whole"] as Int) \(row["float"] as Float) \(row["data"] as Data)",
                    "\(row["date"] as Date) \(row["decimal"] as Decimal)",
                ]
            }
        }
    }
#endif
