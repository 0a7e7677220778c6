import Foundation
import Vigil
import XCTest

/// Columns whose names are canonically equivalent: SQLite distinguishes them, Swift's strings do not.
final class EquivalentNamesTests: XCTestCase {
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"

    private struct Place: MutablePersistableRecord {
        static let databaseTableName = "place"
        var id: Int
        var composed: Int?
        var decomposed: Int?

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            if let composed { container[EquivalentNamesTests.composed] = composed }
            if let decomposed { container[EquivalentNamesTests.decomposed] = decomposed }
        }
    }

    private func onEachTable(_ body: (Database) throws -> Void) throws {
        try onEachWriter { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE place(
                            id INTEGER PRIMARY KEY, "\(Self.composed)" DEFAULT 0, "\(Self.decomposed)" DEFAULT 0)
                        """)
                try body(db)
            }
        }
    }

    /// Returns the values of the two columns, row by row.
    private func stored(_ db: Database) throws -> [[Int]] {
        try Row.fetchAll(db, sql: "SELECT * FROM place ORDER BY id").map { [$0[1], $0[2]] }
    }

    func testBothColumnsAreEncoded() throws {
        let record = Place(id: 1, composed: 2, decomposed: 3)
        var container = PersistenceContainer.of(record)
        XCTAssertEqual(container.map(\.1), [1, 2, 3].map(\.databaseValue))
        XCTAssertEqual(container[Self.composed]?.databaseValue, 2.databaseValue)
        XCTAssertEqual(container[Self.decomposed]?.databaseValue, 3.databaseValue)
        container[Self.decomposed] = 4
        XCTAssertEqual(container.map(\.1), [1, 2, 4].map(\.databaseValue))
        // A dictionary cannot contain both.
        XCTAssertEqual(try record.databaseDictionary.count, 2)
    }

    func testBothColumnsAreSaved() throws {
        try onEachTable { db in
            var place = Place(id: 1, composed: 2, decomposed: 3)
            try place.insert(db)
            XCTAssertEqual(try stored(db), [[2, 3]])
            (place.composed, place.decomposed) = (4, 5)
            try place.update(db)
            XCTAssertEqual(try stored(db), [[4, 5]])
            try place.updateChanges(db) { ($0.composed, $0.decomposed) = (6, 7) }
            XCTAssertEqual(try stored(db), [[6, 7]])
            (place.composed, place.decomposed) = (8, 9)
            try place.save(db)
            XCTAssertEqual(try stored(db), [[8, 9]])
        }
    }

    func testOnlyTheRequestedColumnIsUpdated() throws {
        try onEachTable { db in
            var place = Place(id: 1, composed: 1, decomposed: 1)
            try place.insert(db)
            (place.composed, place.decomposed) = (2, 2)
            try place.update(db, columns: [Self.decomposed])
            XCTAssertEqual(try stored(db), [[1, 2]])
            (place.composed, place.decomposed) = (3, 3)
            try place.update(db, columns: [Self.composed])
            XCTAssertEqual(try stored(db), [[3, 2]])
            try place.update(db, columns: [Self.composed, Self.decomposed])
            XCTAssertEqual(try stored(db), [[3, 3]])
            try place.updateChanges(db) { $0.decomposed = 4 }
            XCTAssertEqual(try stored(db), [[3, 4]])
        }
    }

    func testRecordsWithDifferentColumnsAlternate() throws {
        try onEachTable { db in
            for (id, isComposed) in [true, false, true, false].enumerated() {
                var place = Place(id: id, composed: isComposed ? 1 : nil, decomposed: isComposed ? nil : 1)
                try place.insert(db)
            }
            XCTAssertEqual(try stored(db), [[1, 0], [0, 1], [1, 0], [0, 1]])
        }
    }
}

private struct Capture: EncodableRecord {
    let fill: (inout PersistenceContainer) throws -> Void
    let receive: (PersistenceContainer) -> Void

    func encode(to container: inout PersistenceContainer) throws {
        try fill(&container)
        receive(container)
    }
}

extension PersistenceContainer {
    /// Returns the container that a record fills.
    fileprivate static func of(_ record: some EncodableRecord) -> PersistenceContainer {
        var result: PersistenceContainer?
        let capture = Capture(fill: { try record.encode(to: &$0) }, receive: { result = $0 })
        XCTAssertNoThrow(try capture.databaseDictionary)
        guard let result else { preconditionFailure("the record did not encode itself") }
        return result
    }
}
