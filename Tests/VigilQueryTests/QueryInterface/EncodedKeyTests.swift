import Foundation
import Vigil
import XCTest

private let date = Date(timeIntervalSince1970: 128)
private let uuid = UUID(uuid: (0xAB, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
private let uuidText = "ab010203-0405-0607-0809-0a0b0c0d0e0f"
private let data = Data("key".utf8)

/// A record whose key is encoded by its strategies.
private struct Encoded<Key: Codable & Hashable & Sendable>: Codable, FetchableRecord, PersistableRecord,
    Hashable,
    Identifiable
{
    static var databaseTableName: String { "encoded" }
    var id: Key

    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        column == "id" ? .text : .deferredToData
    }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        column == "id" ? .secondsSince1970 : .deferredToDate
    }
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        column == "id" ? .lowercaseString : .deferredToUUID
    }
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        .custom { Data.fromDatabaseValue($0) ?? String.fromDatabaseValue($0).map { Data($0.utf8) } }
    }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSince1970
    }
}

/// A record of the same table that cannot be saved, and therefore has no encoding strategies.
private struct Decoded: TableRecord, FetchableRecord, Decodable {
    static let databaseTableName = "encoded"
}

final class EncodedKeyTests: QueryInterfaceTestCase {
    private func withTable(_ body: (Database) throws -> Void) throws {
        try makeDatabase().write { db in
            try db.execute(sql: "CREATE TABLE encoded(id PRIMARY KEY NOT NULL)")
            try body(db)
        }
    }

    private func assertKey<Key>(_ key: Key, _ other: Key, isStoredAs literal: String) throws
    where Key: Codable & Hashable & Sendable & DatabaseValueConvertible {
        typealias Record = Encoded<Key>
        let record = Record(id: key)
        let condition = "\"encoded\" WHERE \"id\" = \(literal)"
        try withTable { db in
            try record.insert(db)
            XCTAssertEqual(
                try String.fetchOne(db, sql: "SELECT CAST(quote(id) AS TEXT) FROM encoded"),
                literal)
            let runs: [(String, () throws -> Bool)] = [
                ("SELECT * FROM \(condition)", { try Record.fetchOne(db, key: key) == record }),
                ("SELECT * FROM \(condition)", { try Record.fetchOne(db, key: key as Key?) == record }),
                ("SELECT * FROM \(condition)", { try Record.find(db, id: key) == record }),
                ("SELECT * FROM \(condition)", { try Record.fetchAll(db, keys: [key]) == [record] }),
                ("SELECT * FROM \(condition)", { try Record.fetchSet(db, keys: [nil, key]) == [record] }),
                ("SELECT * FROM \(condition)", { try Record.filter(id: key).fetchAll(db) == [record] }),
                (
                    "SELECT * FROM \(condition)",
                    { try Table<Record>("encoded").filter(key: key).fetchAll(db) == [record] }
                ),
                ("SELECT EXISTS (SELECT * FROM \(condition))", { try Record.exists(db, key: key) }),
                ("DELETE FROM \(condition)", { try Record.deleteOne(db, id: key) }),
                ("DELETE FROM \(condition)", { try Record.deleteAll(db, keys: [key]) == 0 }),
            ]
            for (sql, run) in runs {
                let statements = try statements(db) { XCTAssertTrue(try run(), sql) }
                XCTAssertEqual(statements.last, sql)
            }
            XCTAssertNil(try Record.fetchOne(db, key: other))
            XCTAssertEqual(try statements(db) { XCTAssertNil(try Record.fetchOne(db, key: nil as Key?)) }, [])
        }
    }

    func testKeysAreEncodedByTheStrategiesOfTheRecordType() throws {
        try assertKey(date, date + 1, isStoredAs: "128")
        try assertKey(data, Data("other".utf8), isStoredAs: "'key'")
        try assertKey(uuid, UUID(), isStoredAs: "'\(uuidText)'")
    }

    func testKeysOfOtherRecordsAreEncodedAsOutsideOfRecords() throws {
        try withTable { db in
            try db.execute(sql: "INSERT INTO encoded VALUES (?), (?), (?)", arguments: [date, data, uuid])
            XCTAssertTrue(try Decoded.exists(db, key: date))
            XCTAssertNotNil(try Decoded.fetchOne(db, key: data))
            XCTAssertEqual(try Decoded.filter(keys: [uuid]).fetchCount(db), 1)
            XCTAssertEqual(try Table("encoded").filter(key: date).fetchCount(db), 1)
            XCTAssertFalse(try Encoded<Date>.exists(db, key: date))
            // Dictionaries contain values of columns.
            XCTAssertTrue(try Encoded<Date>.exists(db, key: ["id": date]))
        }
    }

    func testKeysThatCannotBeEncodedThrow() throws {
        try withTable { db in
            let key = Data([0xFF])
            XCTAssertThrowsError(try Encoded<Data>.fetchOne(db, key: key)) {
                XCTAssertTrue($0 is EncodingError)
            }
            XCTAssertThrowsError(try Encoded<Data>.filter(keys: [key]).fetchAll(db)) {
                XCTAssertTrue($0 is EncodingError)
            }
        }
    }
}
