#if PostgreSQL && os(Linux)
    import Foundation
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Pools whose server stops answering, and comes back.
    final class UnreachableServerTests: ServerTestCase {
        private let makeTable: @Sendable (Database) throws -> Void = { db in
            try db.execute(sql: "CREATE TABLE t (n INT NOT NULL); INSERT INTO t VALUES (0)")
        }

        private let fetch: @Sendable (Database) throws -> Int? = { db in
            try Int.fetchOne(db, sql: "SELECT n FROM t")
        }

        /// Starts an observation through a proxy, and calls `body` with a function that commits the next
        /// number past it.
        private func observe(
            _ body: (StoppableProxy, _ commit: () throws -> Void, _ wait: () -> Void) throws ->
                Void
        ) throws {
            let direct = try makePool()
            try direct.write(makeTable)
            let proxy = try StoppableProxy(to: address)
            let dbPool = try DatabasePool(server: proxy.address)
            let values = Recorder<Int?>()
            let cancellable = ValueObservation.tracking(fetch).start(
                in: dbPool, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            values.wait(last: 0)
            var number = 0
            try body(
                proxy,
                {
                    number += 1
                    try direct.write { [number] db in
                        try db.execute(sql: "UPDATE t SET n = ?", arguments: [number])
                    }
                }, { values.wait(last: number) })
            // No value is delivered twice, and none after a later one.
            let delivered = values.all.compactMap { $0 }
            XCTAssertEqual(delivered, Array(Set(delivered)).sorted())
            cancellable.cancel()
            try dbPool.close()
        }

        func testValuesFollowWhenAServerAnswersAgain() throws {
            try observe { proxy, commit, wait in
                let directions: [Set<StoppableProxy.Direction>] = [
                    [.toServer], [.toClient], [.toServer, .toClient],
                ]
                for directions in directions + directions {
                    proxy.stop(directions)
                    try commit()
                    try commit()
                    proxy.resume()
                    wait()
                }
            }
        }

        func testValuesFollowAfterTheConnectionsOfAServerThatDoesNotAnswerAreDropped() throws {
            try observe { proxy, commit, wait in
                for _ in 0..<5 {
                    proxy.stop()
                    try commit()
                    proxy.dropConnections()
                    try commit()
                    proxy.resume()
                    wait()
                }
            }
        }

        func testACancelledTaskReturnsWhileTheServerDoesNotAnswer() async throws {
            let direct = try makePool()
            try await direct.write(makeTable)
            let proxy = try StoppableProxy(to: address)
            let dbPool = try DatabasePool(server: proxy.address)
            let first = try await dbPool.read(fetch)
            XCTAssertEqual(first, 0)
            for isReading in [true, false] {
                let (stream, started) = AsyncStream.makeStream(of: Void.self)
                let task = Task { [fetch] in
                    let access: @Sendable (Database) throws -> Void = { db in
                        _ = try fetch(db)
                        proxy.stop()
                        started.yield()
                        _ = try fetch(db)
                    }
                    if isReading { try await dbPool.read(access) } else { try await dbPool.write(access) }
                }
                for await _ in stream.prefix(1) {}
                task.cancel()
                switch await task.result {
                case .success: XCTFail("the access has succeeded")
                case .failure(let error): XCTAssertTrue(error is CancellationError, "\(error)")
                }
                proxy.resume()
                let value = try await dbPool.read(fetch)
                XCTAssertEqual(value, 0)
            }
            try dbPool.close()
        }
    }
#endif
