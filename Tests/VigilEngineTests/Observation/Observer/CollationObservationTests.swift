import Vigil
import XCTest

/// Observations of rows that a comparison of text selects, whose collation the program replaces.
final class CollationObservationTests: XCTestCase {
    private static let schema = "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE);"

    private let ids: @Sendable (Database) throws -> [Int] = { db in
        try Int.fetchAll(db, sql: "SELECT id FROM player WHERE name = 'ab' ORDER BY id")
    }

    /// A replacement for which all texts are equal.
    private let nocase = DatabaseCollation("nocase") { _, _ in .orderedSame }

    private var observations: [ValueObservation<ValueReducers.Fetch<[Int]>>] {
        [
            .tracking(ids), .trackingConstantRegion(ids), .tracking(ids).coalescing(.never),
            .tracking(region: SQLRequest<Row>(sql: "SELECT * FROM player WHERE name = 'ab'"), fetch: ids),
        ]
    }

    func testACollationReplacedLaterIsNoticed() throws {
        for observation in observations {
            try onEachFixture([.memory, .file], [.queue], schema: Self.schema) { fixture in
                let observed = fixture.observe(observation)
                observed.expect([[]])
                try fixture.writer.commit("INSERT INTO player VALUES (1, 'x')")
                fixture.writer.writeWithoutTransaction { db in db.add(collation: nocase) }
                observed.expect([[], [1]])
                try fixture.writer.commit("INSERT INTO player VALUES (2, 'y')")
                observed.expect([[], [1], [1, 2]])
            }
        }
    }

    func testACollationReplacedOnAReaderAffectsAllObservations() throws {
        for observation in observations {
            try onEachFixture([.pool], [.queue], schema: Self.schema) { fixture in
                let observed = fixture.observe(observation)
                observed.values.wait(count: 1)
                try fixture.writer.read { db in db.add(collation: nocase) }
                observed.values.wait(count: 2)
                for id in 1...2 {
                    // Without the condition, any row of the table matches.
                    let count = observed.values.all.count
                    try fixture.writer.commit("INSERT INTO player VALUES (\(id), 'x')")
                    observed.values.wait(count: count + 1)
                }
            }
        }
    }

    func testACollationOfEachConnectionComparesAllRows() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { [nocase] db in db.add(collation: nocase) }
        try onEachFixture(WriterKind.allCases, [.queue], configuration, schema: Self.schema) { fixture in
            let observed = fixture.observe(.tracking(ids))
            observed.expect([[]])
            try fixture.writer.commit("INSERT INTO player VALUES (1, 'x')")
            observed.expect([[], [1]])
        }
    }
}
