import Vigil
import XCTest

/// The events of observations and their order.
final class ObservationEventsTests: XCTestCase {
    func testEventsOccurInOrder() throws {
        try onEachFixture { fixture in
            let events = Lines()
            let observed = fixture.observe(rowCounts.print(to: events))
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
            observed.cancel()
            events.expect([
                "start", "fetch", "tracked region: t(*)", "value: 0", "database did change", "fetch",
                "value: 1", "cancel",
            ])
        }
    }

    /// The maximum is a condition of the region.
    func testARegionWithOtherConditionsIsNotAnotherEvent() throws {
        try onEachFixture { fixture in
            let events = Lines()
            let maximum = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT MAX(id) FROM t") ?? 0
            }
            let observed = fixture.observe(maximum.print(to: events))
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
            try fixture.insert()
            observed.expect([0, 1, 2])
            observed.cancel()
            XCTAssertEqual(events.all.filter { $0.hasPrefix("tracked region") }.count, 1)
        }
    }

    func testALateErrorIsTheLastEvent() throws {
        try onEachFixture { fixture in
            let events = Lines()
            let observed = fixture.observe(rowCounts.print(to: events))
            observed.expect([0])
            try fixture.writer.commit("\(insertIntoT); DROP TABLE t")
            observed.errors.wait(count: 1)
            try fixture.writer.commit(tableT)
            try fixture.insert()
            observed.cancel()
            events.expect([
                "start", "fetch", "tracked region: t(*)", "value: 0", "database did change", "fetch",
                "failure: SQLite error 1: no such table: t - while executing `SELECT COUNT(*) FROM t`",
            ])
            XCTAssertEqual(observed.values.all, [0])
        }
    }

    func testEveryStepOfTheChainLogsAllEventsAndItsOwnValues() throws {
        try onEachFixture { fixture in
            let events = Lines()
            let observed = fixture.observe(
                rowCounts.print("a", to: events).map { "<\($0)>" }.print(to: events).removeDuplicates()
                    .print("c", to: events))
            observed.expect(["<0>"])
            observed.cancel()
            events.expect([
                "a: start", "start", "c: start", "a: fetch", "fetch", "c: fetch",
                "a: tracked region: t(*)", "tracked region: t(*)", "c: tracked region: t(*)",
                "a: value: 0", "value: <0>", "c: value: <0>", "a: cancel", "cancel", "c: cancel",
            ])
        }
    }

    func testFetchEventsOccurOncePerFetchAndValueEventsAtTheirOperator() throws {
        try onEachFixture { fixture in
            let (fetches, before, after) = (FetchCount(), Recorder<Int>(), Values<Int>())
            let observed = fixture.observe(
                ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT MAX(+a) FROM t") ?? 0 }
                    .handleEvents(willFetch: { fetches.add() }, didReceiveValue: { before.append($0) })
                    .removeDuplicates()
                    .handleEvents(didReceiveValue: { after.append($0) }))
            observed.expect([0])
            for (index, a) in [1, 1, 2].enumerated() {
                try fixture.writer.commit("INSERT INTO t(a) VALUES (\(a))")
                before.wait(count: index + 2)
            }
            observed.expect([0, 1, 2])
            XCTAssertEqual(before.all, [0, 1, 1, 2])
            XCTAssertEqual(after.all, [0, 1, 2])
            XCTAssertEqual(fetches.count, 4)
        }
    }

    func testTheTriggerNamesTheCommitTheTableAndTheRow() throws {
        // The observation is registered when the start returns.
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            let triggers = Values<ObservationTrigger>()
            let observed = fixture.observe(
                ValueObservation.trackingConstantRegion { db in
                    try Row.fetchAll(db, sql: "SELECT * FROM t").count
                }
                .handleEvents(didTrigger: { triggers.append($0) }))
            try fixture.writer.commit("INSERT INTO t VALUES (5, 1)")
            try fixture.writer.commit("UPDATE t SET a = 2")
            try fixture.writer.commit("DELETE FROM t WHERE id = 5")
            try fixture.writer.writeWithoutTransaction { db in
                try db.notifyChanges(in: DatabaseRegion(table: "t"))
            }
            let table = TableName(name: "t")
            XCTAssertEqual(
                triggers.all.map(\.place),
                [
                    .row(table, .insert, rowID: 5), .row(table, .update, rowID: 5),
                    .row(table, .delete, rowID: 5), .table(table),
                ])
            let commits = triggers.all.map(\.commit)
            XCTAssertEqual(commits, Array(Set(commits)).sorted())
            XCTAssertEqual(
                "\(triggers.all[0])", "commit \(commits[0]): insert of t 5")
            observed.cancel()
        }
    }

    func testAValueHasTheNumberOfTheCommitThatChangedIt() throws {
        try onEachFixture { fixture in
            let triggers = Values<ObservationTrigger>()
            let observed = fixture.observe(
                rowCounts.coalescing(.never).handleEvents(didTrigger: { triggers.append($0) })
                    .withCommitNumber().map { $0 })
            let initial = observed.values.wait(count: 1)[0]
            XCTAssertEqual(initial.value, 0)
            try fixture.insert(3)
            let values = observed.values.wait(count: 4)
            XCTAssertEqual(values.map(\.value), [0, 1, 2, 3])
            XCTAssertEqual(values.dropFirst().map(\.commit), triggers.all.map(\.commit))
            XCTAssertLessThan(initial.commit, values[1].commit)
            XCTAssertEqual(fixture.writer.observations.first?.lastCommit, values[3].commit)
        }
    }
}
