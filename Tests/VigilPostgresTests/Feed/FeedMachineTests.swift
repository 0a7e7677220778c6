import VigilStorage
import XCTest

@testable import VigilPostgres

final class FeedMachineTests: XCTestCase {
    private var now = ContinuousClock.now
    private let tables = PublishedTables(
        [.init(id: 1, name: TableName(name: "t"), kind: .published)], inheritance: [])

    private func look(_ text: String, session: Int = 0, position: UInt64 = 1) -> ServerLook {
        ServerLook(state: .init(session: session, text: text, server: "s"), position: position)
    }

    private func reports(_ actions: [FeedMachine.Action]) -> [FeedMachine.Report] {
        actions.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    private func states(_ actions: [FeedMachine.Action]) -> [CommitFeedState] {
        actions.compactMap { if case .enter(let state) = $0 { state } else { nil } }
    }

    /// Returns a machine with a stream, confirmed by a look.
    private func streaming(fence: UInt64 = 10, _ text: String = "11:11:") -> FeedMachine {
        var machine = FeedMachine(look("10:10:").state)
        let actions = machine.didLook(look("10:10:"), at: now)
        XCTAssertTrue(actions.contains(.readPublication))
        let state = PublicationState(publication: .tables(tables), catalog: "c", server: "s")
        XCTAssertTrue(machine.didRead(state, at: now).contains(.openStream(1, server: "s")))
        XCTAssertEqual(machine.streamDidOpen(1), [.confirm(1)])
        let confirmed = machine.didConfirm(1, fence: fence, look(text), catalog: "c", at: now)
        XCTAssertEqual(confirmed.first, .replaceTables(tables))
        XCTAssertEqual(reports(confirmed), [.database])
        return machine
    }

    func testWithoutAPublicationEachCommitIsAChangeOfTheDatabase() {
        var machine = FeedMachine(look("10:10:").state)
        XCTAssertEqual(reports(machine.didLook(look("10:10:"), at: now)), [])
        let state = PublicationState(publication: .unavailable(reason: "r"), catalog: "", server: "")
        XCTAssertEqual(machine.didRead(state, at: now), [.enter(.coarse(reason: "r"))])
        let actions = machine.didLook(look("11:11:"), at: now)
        XCTAssertEqual(reports(actions), [.database])
        XCTAssertFalse(actions.contains(.readPublication))
        now += Retries.publication.firstPause
        XCTAssertTrue(machine.didLook(look("11:11:"), at: now).contains(.readPublication))
    }

    func testACommitIsReportedByALookThatSeesIt() {
        var machine = streaming()
        _ = machine.didReceive([.init(transaction: 11, relations: [1])], upTo: 1, 1, at: now)
        XCTAssertEqual(reports(machine.didLook(look("11:11:"), at: now)), [])
        XCTAssertEqual(
            reports(machine.didLook(look("11:13:11"), at: now)), [.tables([ReportedTables.unreported])])
        XCTAssertEqual(
            reports(machine.didLook(look("13:13:"), at: now)),
            [.tables([ReportedTables.unreported, TableName(name: "t")])])
        // A look may have seen it before it was received.
        _ = machine.didReceive([.init(transaction: 12, relations: [1])], upTo: 2, 1, at: now)
        XCTAssertEqual(
            reports(machine.didLook(look("13:13:"), at: now)), [.tables([TableName(name: "t")])])
    }

    func testAllChangesAreCoarseUntilTheTransactionsBeforeTheFenceHaveEnded() {
        var machine = streaming(fence: 15, "12:16:12")
        XCTAssertEqual(reports(machine.didLook(look("12:17:12"), at: now)), [.database])
        let actions = machine.didLook(look("17:17:"), at: now)
        XCTAssertEqual(reports(actions), [.database])
        XCTAssertEqual(states(actions), [.precise])
        XCTAssertEqual(
            reports(machine.didLook(look("18:18:"), at: now)), [.tables([ReportedTables.unreported])])
    }

    func testTooManyInvisibleCommitsAreReportedCoarsely() {
        var machine = streaming()
        let commits = (0...CommitQueue.capacity).map {
            StreamedCommit(transaction: 20 + UInt32($0), relations: [])
        }
        _ = machine.didReceive(commits, upTo: 1, 1, at: now)
        XCTAssertEqual(machine.stream?.queue.count, CommitQueue.capacity)
        XCTAssertEqual(reports(machine.didLook(look("11:11:"), at: now)), [.database])
        XCTAssertEqual(reports(machine.didLook(look("20:20:"), at: now)), [.database])
        XCTAssertEqual(states(machine.didLook(look("20021:20021:"), at: now)), [.precise])
    }

    func testALossIsAChangeOfTheDatabaseAndDropsTheCommits() {
        let losses: [(inout FeedMachine, ContinuousClock.Instant) -> [FeedMachine.Action]] = [
            { $0.streamDidEnd(1, reason: "r", at: $1) }, { $0.didFail(at: $1) },
            { $0.didLook(self.look("11:11:", session: 1), at: $1) },
            { $0.didLook(self.look("11:11:", position: 65 << 20), at: $1) },
            { $0.didLook(ServerLook(state: .init(text: "11:11:", server: "t"), position: 1), at: $1) },
        ]
        for lose in losses {
            var machine = streaming()
            _ = machine.didReceive([.init(transaction: 12, relations: [1])], upTo: 1, 1, at: now)
            let actions = lose(&machine, now)
            XCTAssertEqual(reports(actions), [.database])
            XCTAssertTrue(actions.contains(.replaceTables(nil)))
            XCTAssertTrue(actions.contains(.closeStream))
            XCTAssertNil(machine.stream)
            XCTAssertEqual(machine.didReceive([], upTo: 9, 1, at: now), nil)
            XCTAssertEqual(machine.streamDidEnd(1, reason: "late", at: now), [])
        }
    }

    func testAnotherCatalogIsAChangeOfTheDatabaseAndAnotherPublicationAlsoAnotherStream() {
        var machine = streaming()
        now += FeedMachine.catalogInterval
        let actions = machine.didLook(look("12:12:"), at: now)
        XCTAssertTrue(actions.contains(.checkCatalog(known: "c")))
        XCTAssertEqual(machine.didCheckCatalog("c", nil, at: now), [])
        XCTAssertEqual(
            machine.didCheckCatalog("d", .tables(tables), at: now),
            [.replaceTables(tables), .report(.database)])
        XCTAssertNotNil(machine.stream)
        let restart = machine.didCheckCatalog("e", .unavailable(reason: "r"), at: now)
        XCTAssertEqual(reports(restart), [.database])
        XCTAssertTrue(restart.contains(.closeStream))
        XCTAssertTrue(machine.didLook(look("12:12:"), at: now).contains(.readPublication))
    }

    func testChecksOfALargeCatalogTakeASmallPartOfTheTime() {
        var machine = streaming()
        func isChecked(after pause: Duration) -> Bool {
            now += pause
            return machine.didLook(look("12:12:"), at: now).contains(.checkCatalog(known: "c"))
        }
        for (duration, pause) in [
            (Duration.milliseconds(80), Duration.milliseconds(1_600)),
            (.milliseconds(1), FeedMachine.catalogInterval), (.seconds(60), FeedMachine.longestCatalogPause),
        ] {
            now += FeedMachine.longestCatalogPause
            _ = machine.catalogMayHaveChanged(at: now)
            XCTAssertTrue(isChecked(after: .zero))
            _ = machine.didCheckCatalog("c", nil, taking: duration, at: now)
            _ = machine.catalogMayHaveChanged(at: now)
            XCTAssertFalse(isChecked(after: pause - .nanoseconds(1)))
            XCTAssertTrue(isChecked(after: .nanoseconds(1)))
            _ = machine.didCheckCatalog("c", nil, at: now)
        }
    }

    /// The catalog of the commit determines the columns and the spelling of values.
    func testRowsDecodedWithAnEarlierCatalogAreReportedByTable() throws {
        let row = try XCTUnwrap(ModelServer.row(of: 1, version: 0))
        func commit(_ transaction: UInt32, end: UInt64) -> StreamedCommit {
            StreamedCommit(transaction: transaction, end: end, relations: [], rows: [row])
        }
        var machine = streaming()
        _ = machine.didReceive([commit(11, end: 5), commit(12, end: 6)], upTo: 6, 1, at: now)
        func tables(_ actions: [FeedMachine.Action]) -> Set<TableName>? {
            guard case .tables(let names, let rows)? = reports(actions).first else { return nil }
            return names.union(rows.isEmpty ? [] : [TableName(name: "rows")])
        }
        let (unreported, table) = (ReportedTables.unreported, TableName(name: "t"))
        XCTAssertEqual(
            tables(machine.didLook(look("11:13:11", position: 6), at: now)),
            [unreported, TableName(name: "rows")])
        _ = machine.didCheckCatalog("d", .tables(self.tables), at: now)
        XCTAssertEqual(
            tables(machine.didLook(look("13:14:13", position: 8), at: now)), [unreported, table])
        _ = machine.didReceive([commit(13, end: 8)], upTo: 8, 1, at: now)
        XCTAssertEqual(
            tables(machine.didLook(look("14:14:", position: 9), at: now)), [unreported, table])
        _ = machine.didReceive([commit(14, end: 9)], upTo: 9, 1, at: now)
        XCTAssertEqual(
            tables(machine.didLook(look("15:15:", position: 9), at: now)),
            [unreported, TableName(name: "rows")])
    }

    func testRowsOfManyInvisibleCommitsAreDropped() throws {
        let row = try XCTUnwrap(ModelServer.row(of: 1, version: 0))
        var queue = CommitQueue()
        let rows = Array(repeating: row, count: CommitQueue.rowLimit / row.byteCount / 10)
        for number in 20..<40 as Range<UInt32> {
            queue.append(StreamedCommit(transaction: number, relations: [], rows: rows))
        }
        let visible = queue.takeVisible(in: try XCTUnwrap(ServerSnapshot("40:40:")))
        XCTAssertEqual(visible.rows.count, rows.count * 10)
        XCTAssertEqual(visible.relations, [1])
        queue.append(StreamedCommit(transaction: 40, relations: [], rows: rows))
        XCTAssertEqual(
            queue.takeVisible(in: try XCTUnwrap(ServerSnapshot("41:41:"))).rows.count, rows.count)
    }

    func testACatalogThatChangedWhileTheStreamWasOpenedIsNotConfirmed() {
        var machine = FeedMachine(look("10:10:").state)
        let state = PublicationState(publication: .tables(tables), catalog: "c", server: "s")
        _ = machine.didRead(state, at: now)
        let actions = machine.didConfirm(1, fence: 10, look("11:11:"), catalog: "d", at: now)
        XCTAssertTrue(actions.contains(.closeStream))
        XCTAssertFalse(actions.contains(.replaceTables(tables)))
    }

    func testTheUpperHalfOfTransactionNumbersIsThatOfTheNearestOne() throws {
        let snapshot = try XCTUnwrap(ServerSnapshot("4294967290:4294967300:4294967295"))
        XCTAssertEqual(snapshot.completed(3), 0x1_0000_0003)
        XCTAssertEqual(snapshot.completed(0xFFFF_FFFE), 0xFFFF_FFFE)
        XCTAssertTrue(snapshot.sees(4_294_967_294))
        XCTAssertFalse(snapshot.sees(4_294_967_295))
        XCTAssertFalse(snapshot.sees(4_294_967_300))
        for text in ["", "1:2", "2:1:", "1:2:x", "1:2:1,", "a:b:c"] { XCTAssertNil(ServerSnapshot(text)) }
    }
}
