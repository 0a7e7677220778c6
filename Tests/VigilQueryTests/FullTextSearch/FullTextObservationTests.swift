import Foundation
import Synchronization
import Vigil
import XCTest

/// Observations of full-text queries.
final class FullTextObservationTests: XCTestCase {
    private struct Query {
        var name: String
        var fetch: @Sendable (Database) throws -> [Int64]
    }

    private static let pattern = FTS3Pattern(matchingAllTokensIn: "alpha")

    /// Queries of the index, of the table with the text by the index, and of a join.
    private let queries = [
        Query(name: "index") { db in
            try Table("noteIndex").all().matching(pattern).select(Column("rowid"), as: Int64.self)
                .order(Column("rowid")).fetchAll(db)
        },
        Query(name: "subquery") { db in
            let ids = Table("noteIndex").all().matching(pattern).select(Column("rowid"))
            return try IndexedNote.filter(ids.contains(Column("id"))).select(Column("id"), as: Int64.self)
                .order(Column("id")).fetchAll(db)
        },
        Query(name: "join") { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT note.id FROM note JOIN noteIndex ON noteIndex.rowid = note.id
                    WHERE noteIndex MATCH 'alpha' ORDER BY note.id
                    """)
        },
        Query(name: "snippet") { db in
            let isFTS5 = try db.tableExists("noteIndex_data")
            let part =
                isFTS5
                ? FTS5.snippet(Column("body"), from: "<", to: ">") : FTS4.snippet(from: "<", to: ">")
            return try Table("noteIndex").all().matching(pattern)
                .select([Column("rowid"), part.forKey("part")], as: Row.self)
                .order(Column("rowid")).fetchAll(db).map { $0[0] }
        },
    ]

    private func onEachSynchronizedWriter(
        _ body: (FullTextModule, any DatabaseWriter) throws -> Void
    ) throws {
        for module in FullTextModule.allCases {
            try onEachWriter { writer in
                let isPresent = try writer.write { db in
                    try IndexedNote.createTable(db)
                    try db.execute(sql: "CREATE TABLE other(id INTEGER PRIMARY KEY, text)")
                    try db.create(virtualTable: "otherIndex", using: FTS4()) { t in
                        t.synchronize(withTable: "other")
                        t.column("text")
                    }
                    try db.create(virtualTable: "area", using: "rtree(id, minX, maxX)")
                    try IndexedNote(id: 1, title: "First", body: "alpha").insert(db)
                    try IndexedNote(id: 2, title: "Second", body: "beta").insert(db)
                    return try module.ifPresent { try module.create(db, "noteIndex", of: "note") }
                }
                if isPresent { try body(module, writer) }
            }
        }
    }

    private func observe(_ query: Query, in writer: any DatabaseWriter) -> (
        fetches: FetchCounter, values: Recorder<[Int64]>, cancellable: AnyDatabaseCancellable
    ) {
        let (fetches, values) = (FetchCounter(), Recorder<[Int64]>())
        let fetch = query.fetch
        let cancellable = ValueObservation.tracking { db in
            fetches.add()
            return try fetch(db)
        }
        .start(
            in: writer, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
        return (fetches, values, cancellable)
    }

    func testEachChangeOfTheTextOrTheIndexCausesOneFetch() throws {
        let changes: [(sql: String, ids: [Int64])] = [
            ("INSERT INTO note(id, title, body) VALUES (3, 'Third', 'alpha')", [1, 3]),
            ("UPDATE note SET body = 'alpha gamma' WHERE id = 2", [1, 2, 3]),
            ("UPDATE note SET body = 'gamma' WHERE id = 1", [2, 3]),
            ("DELETE FROM note WHERE id = 3", [2]),
            ("UPDATE note SET title = 'alpha' WHERE id = 1; UPDATE note SET body = '' WHERE id = 2", [1]),
            ("INSERT INTO noteIndex(noteIndex) VALUES ('rebuild')", [1]),
            ("DELETE FROM note", []),
        ]
        try onEachSynchronizedWriter { module, writer in
            let observations = queries.map { observe($0, in: writer) }
            try writer.waitForFetches()
            for (query, observation) in zip(queries, observations) {
                XCTAssertEqual(observation.values.all, [[1]], "\(module), \(type(of: writer)), \(query.name)")
                _ = observation.fetches.take()
            }
            for change in changes {
                try writer.write { db in try db.execute(sql: change.sql) }
                try writer.waitForFetches()
                for (query, (fetches, values, _)) in zip(queries, observations) {
                    let description = "\(module), \(type(of: writer)), \(query.name): \(change.sql)"
                    XCTAssertEqual(fetches.take(), 1, description)
                    XCTAssertEqual(values.all.last, change.ids, description)
                }
            }
            for observation in observations { observation.cancellable.cancel() }
        }
    }

    func testChangesOfOtherTablesAndIndexesCauseNoFetch() throws {
        let changes = [
            "INSERT INTO other VALUES (1, 'alpha')", "UPDATE other SET text = 'beta alpha'",
            "INSERT INTO otherIndex(otherIndex) VALUES ('optimize')",
            "INSERT OR REPLACE INTO area VALUES (1, 2, 3)",
            "DELETE FROM other", "CREATE TABLE more(a)", "DROP TABLE more",
        ]
        try onEachSynchronizedWriter { module, writer in
            let observations = queries.map { observe($0, in: writer) }
            try writer.waitForFetches()
            // A pool's readers compile the statements of the index during the first fetch.
            try writer.write { db in try db.execute(sql: "UPDATE note SET stars = stars + 1") }
            try writer.waitForFetches()
            for observation in observations { _ = observation.fetches.take() }
            for sql in changes {
                try writer.write { db in try db.execute(sql: sql) }
                try writer.waitForFetches()
                let isSchemaChange = sql.hasSuffix("more") || sql.hasSuffix("more(a)")
                for (query, observation) in zip(queries, observations) {
                    let count = observation.fetches.take()
                    if !isSchemaChange {
                        XCTAssertEqual(count, 0, "\(module), \(type(of: writer)), \(query.name): \(sql)")
                    }
                }
            }
            for observation in observations {
                XCTAssertEqual(observation.values.all.last, [1])
                observation.cancellable.cancel()
            }
        }
    }

    func testRegionsOfSearchesContainTheIndex() throws {
        try onEachSynchronizedWriter { module, writer in
            try writer.read { db in
                let request = Table("noteIndex").all().matching(Self.pattern)
                _ = try request.fetchCount(db)
                let region = try request.databaseRegion(db)
                XCTAssertTrue(region.description.contains("noteIndex"), region.description)
                XCTAssertFalse(region.description.contains("other"), region.description)
                XCTAssertFalse(region.isFullDatabase)
            }
        }
    }

    func testSearchesOfOtherVirtualTablesAreObserved() throws {
        try onEachSynchronizedWriter { _, writer in
            let query = Query(name: "area") { db in
                try Int64.fetchAll(db, sql: "SELECT id FROM area WHERE minX <= 5 AND maxX >= 5 ORDER BY id")
            }
            let (fetches, values, cancellable) = observe(query, in: writer)
            try writer.waitForFetches()
            _ = fetches.take()
            let changes: [(String, [Int64], Int)] = [
                ("INSERT INTO area VALUES (1, 2, 6)", [1], 1),
                ("INSERT INTO area VALUES (2, 5, 5)", [1, 2], 1),
                ("UPDATE area SET maxX = 3 WHERE id = 1", [2], 1),
                ("INSERT INTO other VALUES (7, 'alpha')", [2], 0), ("DELETE FROM area", [], 1),
            ]
            for (sql, ids, count) in changes {
                try writer.write { db in try db.execute(sql: sql) }
                try writer.waitForFetches()
                XCTAssertEqual(fetches.take(), count, sql)
                XCTAssertEqual(values.all.last, ids, sql)
            }
            cancellable.cancel()
        }
    }

    // MARK: - Random writes

    private func randomWrite(_ module: FullTextModule, _ random: inout SeededNumbers) -> (
        String, StatementArguments
    ) {
        let words = ["alpha", "beta", "gamma", "Alpha", "it's", ""]
        let text = (0...random.next(3)).map { _ in words[random.next(words.count)] }.joined(separator: " ")
        let id = 1 + random.next(6)
        switch random.next(12) {
        case 0, 1: return ("INSERT OR IGNORE INTO note(id, title, body) VALUES (?, 't', ?)", [id, text])
        case 2: return ("INSERT INTO note(title, body) VALUES (?, 'x')", [text])
        case 3, 4: return ("UPDATE note SET body = ? WHERE id = ?", [text, id])
        case 5: return ("UPDATE note SET title = ?, stars = stars + 1 WHERE id >= ?", [text, id])
        case 6: return ("DELETE FROM note WHERE id = ?", [id])
        case 7 where module == .fts5: return ("UPDATE OR IGNORE note SET id = id + 1 WHERE id = ?", [id])
        // FTS4 removes a row from the index before the library ignores its change.
        case 7: return ("UPDATE note SET id = id + 1 WHERE id = (SELECT MAX(id) FROM note)", [])
        case 8: return ("UPDATE note SET stars = ? WHERE id = ?", [id, id])
        case 9: return ("REPLACE INTO note(id, title, body) VALUES (?, ?, 'beta')", [id, text])
        case 10: return ("INSERT INTO other(text) VALUES (?)", [text])
        default: return random.next(6) == 0 ? ("DELETE FROM note", []) : ("DELETE FROM other", [])
        }
    }

    func testSearchesEqualFreshFetchesUnderRandomWrites() throws {
        var random = SeededNumbers(seed: randomSeed("searches under random writes"))
        try onEachSynchronizedWriter { module, writer in
            // REPLACE runs the triggers of the rows that it deletes.
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA recursive_triggers = ON")
            }
            let observations = queries.map { observe($0, in: writer) }
            for round in 0..<15 {
                var run: [String] = []
                try writer.writeWithoutTransaction { db in
                    try db.inTransaction {
                        for _ in 0...random.next(3) {
                            let (sql, arguments) = randomWrite(module, &random)
                            run.append(sql)
                            try db.execute(sql: sql, arguments: arguments)
                        }
                        return random.next(8) == 0 ? .rollback : .commit
                    }
                }
                try writer.waitForFetches()
                let expected = try writer.read { db in
                    try Int64.fetchAll(
                        db,
                        sql: """
                            SELECT id FROM note
                            WHERE ' ' || title || ' ' || body || ' ' LIKE '% alpha %' ORDER BY id
                            """)
                }
                for (query, observation) in zip(queries, observations) {
                    XCTAssertEqual(
                        observation.values.all.last, expected,
                        "\(module), \(type(of: writer)), \(query.name), round \(round): \(run)")
                }
            }
            for observation in observations { observation.cancellable.cancel() }
        }
    }
}
