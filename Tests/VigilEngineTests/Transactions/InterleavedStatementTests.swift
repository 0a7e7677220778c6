import Foundation
import Vigil
import XCTest

/// Statements that run while others have not finished.
final class InterleavedStatementTests: XCTestCase {
    private let insert = "INSERT INTO artist VALUES (1, ''), (2, '') RETURNING id"

    /// Returns whether the library returns rows from writing statements, as it does since 3.35.
    private func returnsRows(_ db: Database) throws -> Bool {
        let version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
        return version.compare("3.35", options: .numeric) != .orderedAscending
    }

    func testAWritingStatementCommitsBeforeItsFirstRowIsRead() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                guard try returnsRows(db) else { return }
                let cursor = try Row.fetchCursor(db, sql: insert)
                XCTAssertEqual(try cursor.next()?[0] as Int?, 1)
                XCTAssertEqual(observer.takeLog(), ["insert artist 1", "insert artist 2"] + commit)
                try db.execute(sql: "INSERT INTO album VALUES (1, NULL, '')")
                XCTAssertEqual(observer.takeLog(), ["insert album 1"] + commit)
                XCTAssertEqual(try cursor.next()?[0] as Int?, 2)
                XCTAssertNil(try cursor.next())
                XCTAssertEqual(observer.takeLog(), [])
            }
        }
    }

    func testAnAbandonedCursorCommits() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                guard try returnsRows(db) else { return }
                XCTAssertEqual(try Int.fetchOne(db, sql: insert), 1)
                XCTAssertEqual(observer.takeLog(), ["insert artist 1", "insert artist 2"] + commit)
            }
        }
    }

    func testEachStatementIsFilteredByItsOwnKinds() throws {
        try onEachWriter { writer in
            let albums = RecordingObserver { $0.tableName == "album" }
            let artists = RecordingObserver { $0.tableName == "artist" }
            writer.add(transactionObserver: albums)
            writer.add(transactionObserver: artists)
            try writer.write { db in
                let first = try Row.fetchCursor(db, sql: "INSERT INTO artist VALUES (1, '')")
                let second = try Row.fetchCursor(db, sql: "INSERT INTO album VALUES (1, NULL, '')")
                _ = try first.next()
                _ = try second.next()
            }
            XCTAssertEqual(artists.log, ["insert artist 1"] + commit)
            XCTAssertEqual(albums.log, ["insert album 1"] + commit)
        }
    }

    func testEachStatementCommitsWhileRowsAreRead() throws {
        try onEachObservedWriter(schema: twoTables + "INSERT INTO artist VALUES (1, ''), (2, '')") {
            writer, observer in
            try writer.writeWithoutTransaction { db in
                let rows = try Row.fetchCursor(db, sql: "SELECT id FROM artist")
                while let row = try rows.next() {
                    let id: Int = row[0]
                    try db.execute(sql: "INSERT INTO album VALUES (\(id), \(id), '')")
                    XCTAssertEqual(observer.takeLog(), ["insert album \(id)"] + commit)
                }
            }
        }
    }
}
