#if canImport(Combine) || OpenCombine
    import VigilCombine
    import XCTest

    #if canImport(Combine)
        import Combine
    #else
        @preconcurrency import OpenCombine
    #endif

    /// The samples of the article *VigilCombine*, which a tidy test compares with this file.
    final class DocumentedPublisherTests: XCTestCase {
        private struct Player: Codable, FetchableRecord, PersistableRecord, Sendable {
            var id: Int64
            var name: String
        }

        func testTheSamplesOfTheArticlePublishWhatItSays() throws {
            try onEachAdapterWriter { writer in
                let dbWriter = writer
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT)")
                }
                let names = Recorder<[String]>()
                let counts = Recorder<Int>()
                let show: @Sendable ([Player]) -> Void = { names.append($0.map(\.name)) }

                let players = ValueObservation.tracking { db in
                    try Player.fetchAll(db)
                }
                let cancellable = players.publisher(in: dbWriter).sink { completion in
                    print("The observation failed:", completion)
                } receiveValue: { players in
                    show(players)
                }

                let insertion = dbWriter.writePublisher { db in
                    try Player(id: 1, name: "Arthur").insert(db)
                    return try Player.fetchCount(db)
                }

                names.wait(count: 1)
                let writing = insertion.sink(
                    receiveCompletion: { _ in }, receiveValue: { counts.append($0) })
                XCTAssertEqual(names.wait(count: 2), [[], ["Arthur"]])
                XCTAssertEqual(counts.wait(count: 1), [1])
                cancellable.cancel()
                writing.cancel()
            }
        }
    }
#endif
