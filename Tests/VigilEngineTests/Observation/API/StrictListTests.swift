import Vigil
import XCTest

/// Exact lists of values, on which applications that migrate from RxGRDB rely: one value per commit, on
/// queues and pools.
final class StrictListTests: XCTestCase {
    private let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara');
        """

    private static func players(_ condition: String = "1") -> ValueObservation<ValueReducers.Fetch<[String]>>
    {
        ValueObservation.tracking { db in
            try String.fetchAll(db, sql: "SELECT name FROM player WHERE \(condition) ORDER BY name")
        }
        .coalescing(.never)
    }

    /// Commits an update without effect, a new name, a deletion of all rows, and the insertion of three rows.
    private func change(_ writer: any DatabaseWriter) throws {
        try writer.commit("UPDATE player SET name = name WHERE id = 1")
        try writer.commit("UPDATE player SET name = 'Barbie' WHERE id = 2")
        try writer.commit("DELETE FROM player")
        try writer.commit(
            """
            INSERT INTO player VALUES (1, 'Craig');
            INSERT INTO player VALUES (2, 'David');
            INSERT INTO player VALUES (3, 'Elena')
            """)
    }

    private func onEachFixture(_ body: (ObservationFixture) throws -> Void) throws {
        var configuration = Configuration()
        configuration.ignoresNoOpUpdates = false
        try onEachFixture(WriterKind.allCases, Scheduling.allCases, configuration, schema: schema, body)
    }

    func testEachMatchingTransactionIsAValue() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(Self.players())
            try change(fixture.writer)
            observed.expect([
                ["Arthur", "Barbara"], ["Arthur", "Barbara"], ["Arthur", "Barbie"], [],
                ["Craig", "David", "Elena"],
            ])
        }
    }

    func testRemovingDuplicatesDropsUnchangedLists() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(Self.players().removeDuplicates())
            try change(fixture.writer)
            observed.expect([
                ["Arthur", "Barbara"], ["Arthur", "Barbie"], [], ["Craig", "David", "Elena"],
            ])
        }
    }

    func testRemovingDuplicatesDropsUnchangedCounts() throws {
        try onEachFixture { fixture in
            let count = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? -1
            }
            let observed = fixture.observe(count.coalescing(.never).removeDuplicates())
            try change(fixture.writer)
            observed.expect([2, 0, 3])
        }
    }

    func testObservationsOfKeysAreNotNotifiedOfOtherRows() throws {
        try onEachFixture { fixture in
            let region = DatabaseRegion(table: "player", rowIds: [2, 3])
            let observed = fixture.observe(
                ValueObservation.tracking(region: region) { db in
                    try String.fetchAll(db, sql: "SELECT name FROM player WHERE id IN (2, 3) ORDER BY name")
                }
                .coalescing(.never))
            observed.expect([["Barbara"]])
            try change(fixture.writer)
            observed.expect([["Barbara"], ["Barbie"], [], ["David", "Elena"]])
        }
    }

    func testAStartAfterAnErrorHasAnInitialValueAgain() throws {
        try onEachFixture { fixture in
            let first = fixture.observe(Self.players())
            first.values.wait(count: 1)
            try fixture.writer.commit("ALTER TABLE player RENAME TO person")
            first.errors.wait(count: 1)
            try fixture.writer.commit("ALTER TABLE person RENAME TO player")
            let second = fixture.observe(Self.players())
            try fixture.writer.commit("DELETE FROM player")
            second.expect([["Arthur", "Barbara"], []])
            XCTAssertEqual(first.values.all, [["Arthur", "Barbara"]])
        }
    }
}
