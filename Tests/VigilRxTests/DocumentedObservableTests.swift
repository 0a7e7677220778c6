#if RxSwift
    import VigilRx
    import XCTest
    @preconcurrency import RxSwift

    /// The samples of the article *VigilRx*, which a tidy test compares with this file.
    final class DocumentedObservableTests: XCTestCase {
        private struct Player: Codable, FetchableRecord, PersistableRecord, Sendable {
            var id: Int64
            var name: String
        }

        func testTheSamplesOfTheArticleEmitWhatItSays() throws {
            try onEachAdapterWriter { writer in
                let dbWriter = writer
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT)")
                }
                let names = Recorder<[String]>()
                let counts = Recorder<Int>()
                let show: @Sendable ([Player]) -> Void = { names.append($0.map(\.name)) }
                let disposeBag = DisposeBag()

                Player.all().rx
                    .observeAll(in: dbWriter)
                    .subscribe(onNext: { players in show(players) })
                    .disposed(by: disposeBag)

                let insertion = dbWriter.rx.write { db in
                    try Player(id: 1, name: "Arthur").insert(db)
                    return try Player.fetchCount(db)
                }

                XCTAssertEqual(names.all, [[]])
                insertion.subscribe(onSuccess: { counts.append($0) }).disposed(by: disposeBag)
                XCTAssertEqual(names.wait(count: 2), [[], ["Arthur"]])
                XCTAssertEqual(counts.wait(count: 1), [1])
            }
        }
    }
#endif
