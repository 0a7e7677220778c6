#if RxSwift
    import VigilRx
    import XCTest
    @preconcurrency import RxSwift

    /// The values of requests, on which applications of RxGRDB 0.12 and 0.18 rely.
    final class RequestRxTests: XCTestCase {
        private struct Player: Codable, FetchableRecord, PersistableRecord, Sendable {
            var id: Int64
            var name: String
        }

        private func onEachPlayers(_ body: (any DatabaseWriter) throws -> Void) throws {
            var configuration = Configuration()
            // As in GRDB, an update of a row to the same values is a change.
            configuration.ignoresNoOpUpdates = false
            try onEachAdapterWriter(configuration) { writer in
                try writer.write { db in
                    try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT)")
                    try Player(id: 1, name: "Arthur").insert(db)
                    try Player(id: 2, name: "Barbara").insert(db)
                }
                try body(writer)
            }
        }

        /// Subscribes, then updates a row to the same values, renames player 2, deletes all players and
        /// inserts three, in four transactions. Each value is awaited before the next transaction if
        /// `changes` says that there is one.
        private func record<Value>(
            _ observable: Observable<Value>, initial: Bool = true, changes: [Bool],
            in writer: any DatabaseWriter,
            _ map: @escaping @Sendable (Value) -> String
        ) throws -> [String] {
            let values = Recorder<String>()
            let subscription = observable.subscribe(
                onNext: { values.append(map($0)) }, onError: { XCTFail("\($0)") })
            var expected = initial ? 1 : 0
            values.wait(count: expected)
            let transactions: [@Sendable (Database) throws -> Void] = [
                { db in try Player(id: 1, name: "Arthur").update(db) },
                { db in try db.execute(sql: "UPDATE player SET name = 'Barbie' WHERE id = 2") },
                { db in _ = try Player.deleteAll(db) },
                { db in
                    for (id, name) in zip(1..., ["Craig", "David", "Elena"]) {
                        try Player(id: Int64(id), name: name).insert(db)
                    }
                },
            ]
            for (transaction, isChange) in zip(transactions, changes) {
                try writer.write(transaction)
                if isChange { expected += 1 }
                values.wait(count: expected)
            }
            drainMainQueue()
            subscription.dispose()
            return values.all
        }

        private let names: @Sendable ([Player]) -> String = { $0.map(\.name).joined(separator: ",") }
        private let nameOfOne: @Sendable (Player?) -> String = { $0?.name ?? "nil" }
        private let all = Player.all().orderByPrimaryKey()

        func testAllRecordsAreDistinct() throws {
            try onEachPlayers { writer in
                XCTAssertEqual(
                    try record(
                        all.rx.observeAll(in: writer), changes: [false, true, true, true], in: writer, names),
                    ["Arthur,Barbara", "Arthur,Barbie", "", "Craig,David,Elena"])
            }
        }

        func testTheFirstRecordIsDistinct() throws {
            try onEachPlayers { writer in
                XCTAssertEqual(
                    try record(
                        all.rx.observeFirst(in: writer), changes: [false, false, true, true], in: writer,
                        nameOfOne),
                    ["Arthur", "nil", "Craig"])
            }
        }

        func testCountsAreDistinct() throws {
            try onEachPlayers { writer in
                XCTAssertEqual(
                    try record(
                        all.rx.observeCount(in: writer), changes: [false, false, true, true], in: writer
                    ) { "\($0)" },
                    ["2", "0", "3"])
            }
        }

        func testRowsAndValuesAreDistinct() throws {
            try onEachPlayers { writer in
                let rows: SQLRequest<Row> = "SELECT name FROM player ORDER BY id"
                XCTAssertEqual(
                    try record(
                        rows.rx.observeAll(in: writer), changes: [false, true, true, true], in: writer
                    ) {
                        "\($0.count)"
                    },
                    ["2", "2", "0", "3"])
            }
            try onEachPlayers { writer in
                let largest: SQLRequest<Int> = "SELECT MAX(id) FROM player"
                XCTAssertEqual(
                    try record(
                        largest.rx.observeFirst(in: writer), changes: [false, false, true, true], in: writer
                    ) { "\($0 ?? -1)" },
                    ["2", "-1", "3"])
            }
        }

        func testStartImmediatelyFalseSkipsTheInitialValue() throws {
            try onEachPlayers { writer in
                XCTAssertEqual(
                    try record(
                        all.rx.observeAll(in: writer, startImmediately: false), initial: false,
                        changes: [false, true, true, true], in: writer, names),
                    ["Arthur,Barbie", "", "Craig,David,Elena"])
            }
        }

        func testTheFirstValueIsSynchronousOnlyWithoutAScheduler() throws {
            try onEachPlayers { writer in
                let (now, later) = (Recorder<Int>(), Recorder<Int>())
                let bag = DisposeBag()
                all.rx.observeCount(in: writer).subscribe(onNext: { now.append($0) }).disposed(by: bag)
                XCTAssertEqual(now.all, [2])
                all.rx.observeCount(in: writer, observeOn: MainScheduler.instance)
                    .subscribe(onNext: { later.append($0) }).disposed(by: bag)
                XCTAssertEqual(later.all, [])
                later.wait(count: 1)
            }
        }

        @available(*, deprecated, message: "tests deprecated names")
        func testTheOldNamesRepeatEqualValues() throws {
            try onEachPlayers { writer in
                XCTAssertEqual(
                    try record(
                        all.rx.fetchAll(in: writer), changes: [true, true, true, true], in: writer, names),
                    ["Arthur,Barbara", "Arthur,Barbara", "Arthur,Barbie", "", "Craig,David,Elena"])
            }
            try onEachPlayers { writer in
                XCTAssertEqual(
                    try record(
                        all.rx.fetchAll(in: writer, distinctUntilChanged: true),
                        changes: [false, true, true, true], in: writer, names),
                    ["Arthur,Barbara", "Arthur,Barbie", "", "Craig,David,Elena"])
            }
            try onEachPlayers { writer in
                let first = Player.filter(key: 2)
                XCTAssertEqual(
                    try record(
                        first.rx.fetchOne(in: writer), changes: [false, true, true, true], in: writer,
                        nameOfOne),
                    ["Barbara", "Barbie", "nil", "David"])
            }
            try onEachPlayers { writer in
                XCTAssertEqual(
                    try record(
                        all.rx.fetchCount(in: writer, scheduler: MainScheduler.instance)
                            .distinctUntilChanged(),
                        changes: [false, false, true, true], in: writer
                    ) { "\($0)" },
                    ["2", "0", "3"])
            }
        }

        func testChangesOfARequestBeginWithTheCurrentState() throws {
            try onEachPlayers { writer in
                let counts = all.rx.changes(in: writer).map { db in try Player.fetchCount(db) }
                XCTAssertEqual(
                    try record(counts, changes: [true, true, true, true], in: writer) { "\($0)" },
                    ["2", "2", "2", "0", "3"])
            }
            try onEachPlayers { writer in
                let counts = all.rx.changes(in: writer, startImmediately: false)
                    .map { db in try Player.fetchCount(db) }
                XCTAssertEqual(
                    try record(counts, initial: false, changes: [true, true, true, true], in: writer) {
                        "\($0)"
                    },
                    ["2", "2", "0", "3"])
            }
        }

        func testChangesOfSeveralRequestsAreOneElementPerCommit() throws {
            try onEachPlayers { writer in
                let counts = writer.rx.changes(in: [all, DatabaseRegion(table: "t")])
                    .map { db in try Player.fetchCount(db) + countRowsOfT(db) }
                let values = Recorder<Int>()
                let subscription = counts.subscribe(onNext: { values.append($0) })
                XCTAssertEqual(values.all, [2])
                try writer.insertIntoT()
                try writer.write { db in
                    _ = try Player.deleteAll(db)
                    try db.execute(sql: "DELETE FROM t")
                }
                XCTAssertEqual(values.all, [2, 3, 0])
                subscription.dispose()
            }
        }

        func testFetchingFromRequestsSeesOneStateOfTheDatabase() throws {
            try onEachPlayers { writer in
                let values = Recorder<[Int]>()
                let subscription = writer.rx.fetch(from: [all, DatabaseRegion(table: "t")]) { db in
                    [try Player.fetchCount(db), try countRowsOfT(db)]
                }
                .subscribe(onNext: { values.append($0) })
                XCTAssertEqual(values.all, [[2, 0]], "subscribed on the main queue, without a scheduler")
                try writer.write { db in
                    _ = try Player.deleteAll(db)
                    try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
                }
                XCTAssertEqual(values.wait(count: 2), [[2, 0], [0, 1]])
                subscription.dispose()
            }
        }
    }
#endif
