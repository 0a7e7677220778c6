#if RxSwift
    import VigilRx
    import XCTest
    @preconcurrency import RxSwift

    final class DiffRxTests: XCTestCase {
        private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable, Equatable {
            var id: Int64
            var name: String
        }

        private static func text(_ diff: PrimaryKeyDiff<Player>) -> String {
            let signs = [("+", diff.inserted), ("~", diff.updated), ("-", diff.deleted)]
            return signs.flatMap { sign, players in players.map { "\(sign)\($0.id)" } }.joined(separator: " ")
        }

        func testListsOfARequestHaveDifferences() throws {
            try onEachAdapterWriter { writer in
                try writer.write { db in
                    try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT)")
                    try Player(id: 1, name: "Arthur").insert(db)
                }
                let values = Received<String>()
                let subscription = Player.all().rx.observeAll(in: writer).diffs()
                    .subscribe(onNext: { values.append(Self.text($0)) }, onError: { XCTFail("\($0)") })
                XCTAssertEqual(values.wait(count: 1), ["+1"])
                try writer.write { db in
                    try Player(id: 1, name: "Barbara").update(db)
                    try Player(id: 2, name: "Craig").insert(db)
                }
                XCTAssertEqual(values.wait(count: 2), ["+1", "+2 ~1"])
                subscription.dispose()
            }
        }

        func testAnObservationThatStartsImmediatelyIsSynchronousOnTheMainQueue() throws {
            try onEachAdapterWriter { writer in
                let (immediate, changes) = (Received<Int>(), Received<Int>())
                let bag = DisposeBag()
                let observation = CountedRows().observation
                observation.rx.observe(in: writer, startImmediately: true)
                    .subscribe(onNext: { immediate.append($0) }).disposed(by: bag)
                XCTAssertEqual(immediate.all, [0])
                observation.rx.observe(in: writer, startImmediately: false)
                    .subscribe(onNext: { changes.append($0) }).disposed(by: bag)
                try writer.insertIntoT()
                XCTAssertEqual(changes.wait(last: 1), [1])
                withExtendedLifetime(bag) {}
            }
        }
    }
#endif
