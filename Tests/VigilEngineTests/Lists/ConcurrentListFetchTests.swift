import Synchronization
import Vigil
import XCTest

/// Tests of two fetches of one list at the same time: of an older commit on a reader, and of a newer one on
/// the writer.
final class ConcurrentListFetchTests: XCTestCase {
    /// An element that reports when it is released.
    private final class Score: FetchableRecord, Sendable {
        static let willRelease = Mutex<(@Sendable (Int) -> Void)?>(nil)
        let value: Int

        init(row: Row) { value = row["score"] }

        deinit { Self.willRelease.withLock { $0 }?(value) }
    }

    /// An element that reports when it is decoded.
    private struct Item: FetchableRecord, Sendable, Equatable {
        static let willDecode = Mutex<(@Sendable () -> Void)?>(nil)
        let name: String

        init(row: Row) {
            let hook = Self.willDecode.withLock { hook in
                defer { hook = nil }
                return hook
            }
            hook?()
            name = row["name"]
        }
    }

    func testRowIDsThatChangeDuringTheFirstFetchAreFetchedAgain() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let pool = try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration)
            try pool.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE item(name TEXT);
                        INSERT INTO item VALUES ('a'), ('b'), ('c');
                        DELETE FROM item WHERE name = 'a';
                        """)
            }
            let (isFetching, mayContinue) = (Gate(), Gate())
            Item.willDecode.withLock { hook in
                hook = {
                    isFetching.open()
                    mayContinue.wait()
                }
            }
            let names = Recorder<[String]>()
            let cancellable = ValueObservation.trackingList(SQLRequest<Item>(sql: "SELECT name FROM item"))
                .start(
                    in: pool, scheduling: .inline, onError: { XCTFail("\($0)") },
                    onChange: { names.append($0.map(\.name)) })
            isFetching.wait()
            // No observation is registered yet, so the connection reports no changes.
            try pool.writeWithoutTransaction { db in try db.execute(sql: "VACUUM") }
            mayContinue.open()
            names.wait(last: ["b", "c"])
            try pool.write { db in try db.execute(sql: "UPDATE item SET name = 'B' WHERE name = 'b'") }
            names.wait(last: ["B", "c"])
            cancellable.cancel()
        }
    }

    func testACommitDuringAFetchIsFetchedRowByRowAfterMoreCommitsThanTheLogKeeps() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let pool = try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration)
            try pool.write { db in
                try db.execute(sql: "CREATE TABLE item(name); INSERT INTO item VALUES ('a'), ('b')")
            }
            let fixture = try ListFixture(
                pool, .trackingList(SQLRequest<Item>(sql: "SELECT name FROM item ORDER BY rowid")))
            for number in 1...300 {
                try pool.write { db in
                    try db.execute(sql: "UPDATE item SET name = ? WHERE rowid = 1", arguments: ["\(number)"])
                }
            }
            try fixture.drain()
            let (isFetching, mayContinue) = (Gate(), Gate())
            Item.willDecode.withLock { hook in
                hook = {
                    isFetching.open()
                    mayContinue.wait()
                }
            }
            try pool.write { db in try db.execute(sql: "UPDATE item SET name = 'c' WHERE rowid = 1") }
            isFetching.wait()
            // The region of the fetch is not registered yet.
            try pool.write { db in try db.execute(sql: "UPDATE item SET name = 'd' WHERE rowid = 2") }
            mayContinue.open()
            try fixture.drain()
            XCTAssertEqual(fixture.list().map(\.name), ["c", "d"])
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1])
        }
    }

    func testEachFetchDeliversItsOwnVersion() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            configuration.maximumReaderCount = 1
            let pool = try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration)
            try pool.write { db in try db.execute(sql: ListedPlayer.table) }
            let scores = Recorder<[Int]>()
            let request = SQLRequest<Score>(sql: "SELECT score FROM player WHERE id = 1")
            let cancellable = ValueObservation.trackingList(request).coalescing(.never).start(
                in: pool, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { scores.append($0.map(\.value)) })
            scores.wait(count: 1)
            try pool.write { db in try db.execute(sql: "UPDATE player SET score = 15 WHERE id = 1") }
            scores.wait(count: 2)
            try pool.barrierWriteWithoutTransaction { _ in }
            // The first version is released after the reader has stored the third one.
            let (isReleasing, mayContinue) = (Gate(), Gate())
            Score.willRelease.withLock { hook in
                hook = { score in
                    guard score == 10 else { return }
                    isReleasing.open()
                    mayContinue.wait()
                }
            }
            defer { Score.willRelease.withLock { $0 = nil } }
            try pool.write { db in try db.execute(sql: "UPDATE player SET score = 20 WHERE id = 1") }
            isReleasing.wait()
            // No reader is idle, so the writer fetches this commit itself.
            try pool.write { db in try db.execute(sql: "UPDATE player SET score = 30 WHERE id = 1") }
            mayContinue.open()
            scores.wait(count: 4)
            XCTAssertEqual(scores.all, [[10], [15], [20], [30]])
            try pool.write { db in try db.execute(sql: "UPDATE player SET score = 40 WHERE id = 1") }
            scores.wait(last: [40])
            cancellable.cancel()
        }
    }

    func testAFetchContainsAllChangesOfACommitThatIsVisibleAndNotReported() throws {
        let directory = try TemporaryDirectory()
        let backend = FailingTokenBackend()
        var configuration = Configuration()
        configuration.backend = backend
        let pool = try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration)
        try pool.write { db in try db.execute(sql: ListedPlayer.table) }
        let pause = ObservationPause()
        let scores = Recorder<[Int]>()
        let request = SQLRequest<ListedPlayer>(sql: "SELECT * FROM player ORDER BY id")
        let cancellable = ValueObservation.trackingList(request).pausable(by: pause).start(
            in: pool, scheduling: .inline, onError: { XCTFail("\($0)") },
            onChange: { scores.append($0.map(\.score)) })
        scores.wait(count: 1)
        try pool.barrierWriteWithoutTransaction { _ in }
        pause.pause()
        try pool.write { db in try db.execute(sql: "UPDATE player SET score = 15 WHERE id = 1") }
        let isFetched = Gate()
        backend.beforeNextCheck {
            pause.resume()
            scores.wait(count: 2)
            isFetched.open()
        }
        try pool.write { db in try db.execute(sql: "UPDATE player SET score = 35 WHERE id = 2") }
        isFetched.wait()
        XCTAssertEqual(scores.all[1], [15, 35, 20, 30])
        cancellable.cancel()
    }
}
