import Foundation
import Synchronization
import Vigil
import VigilTestSupport
import XCTest

@testable import VigilEngine

final class EventStreamTests: XCTestCase {
    private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable, Equatable, Sendable {
        static let databaseTableName = "player"
        var id: Int
        var name: String
    }

    private func makeQueue(_ count: Int = 3) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            for id in 1...count { try Player(id: id, name: "a").insert(db) }
        }
        return queue
    }

    private let players = ValueObservation.trackingList(Player.order(Column("id")))

    private func write(_ sql: String, in queue: DatabaseQueue) async throws {
        try await queue.write { db in try db.execute(sql: sql) }
    }

    private func next(_ iterator: inout EventStreamClient.Iterator) async throws -> StreamEvent {
        let event = try await iterator.next()
        return try XCTUnwrap(event)
    }

    func testClientsReceiveTheListAndThenPatches() async throws {
        let queue = try makeQueue()
        let stream = players.eventStream(in: queue)
        var events = stream.client().makeAsyncIterator()
        var replay = StreamReplay<Player>()
        for sql in [
            nil, "INSERT INTO player VALUES (9, 'b')", "DELETE FROM player WHERE id = 2",
            "UPDATE player SET name = 'c'", "UPDATE player SET id = 0 WHERE id = 9",
        ] {
            if let sql { try await write(sql, in: queue) }
            let event = try await next(&events)
            XCTAssertEqual(event.kind, sql == nil ? .list : .patch)
            try replay.show(event)
            let rows = try await queue.read { db in try Player.order(Column("id")).fetchAll(db) }
            XCTAssertEqual(replay.rows, rows)
        }
    }

    func testAClientThatConnectsAgainMissesNothing() async throws {
        let queue = try makeQueue()
        let stream = players.eventStream(in: queue)
        var replay = StreamReplay<Player>()
        let first = stream.client()
        var firstEvents = first.makeAsyncIterator()
        try replay.show(try await next(&firstEvents))
        first.finish()
        let end = try await firstEvents.next()
        XCTAssertNil(end)
        XCTAssertEqual(queue.observations.count, 0)
        // The observation does not run.
        try await write("INSERT INTO player VALUES (9, 'b')", in: queue)
        var events = stream.client(after: replay.id).makeAsyncIterator()
        let patch = try await next(&events)
        XCTAssertEqual(patch.kind, .patch)
        try replay.show(patch)
        XCTAssertEqual(replay.rows.map(\.id), [1, 2, 3, 9])
        // With the same value, there is nothing to send.
        var other = stream.client(after: replay.id).makeAsyncIterator()
        try await write("DELETE FROM player WHERE id = 1", in: queue)
        let ids = [try await next(&events).id, try await next(&other).id]
        XCTAssertEqual(ids[0], ids[1])
    }

    func testASlowClientSkipsToTheNewestValue() async throws {
        let queue = try makeQueue()
        let stream = ValueObservation.tracking { db in try Player.fetchCount(db) }.eventStream(in: queue)
        var slow = stream.client().makeAsyncIterator()
        var fast = stream.client().makeAsyncIterator()
        for expected in 3...10 {
            if expected > 3 { try await write("INSERT INTO player (name) VALUES ('b')", in: queue) }
            let event = try await next(&fast)
            XCTAssertEqual(String(decoding: event.data, as: UTF8.self), "\(expected)")
            if expected == 3 { _ = try await next(&slow) }
        }
        var last = try await next(&slow)
        // At most one older value was on its way.
        if last.data.elementsEqual("4".utf8) { last = try await next(&slow) }
        XCTAssertEqual(String(decoding: last.data, as: UTF8.self), "10")
    }

    func testAClientThatDoesNotReadCausesNoFetch() async throws {
        let queue = try makeQueue()
        let fetches = Recorder<Int>()
        let stream = ValueObservation.tracking { db in
            fetches.append(1)
            return try Player.fetchCount(db)
        }.eventStream(in: queue)
        var events = stream.client().makeAsyncIterator()
        _ = try await next(&events)
        for _ in 0..<50 { try await write("INSERT INTO player (name) VALUES ('b')", in: queue) }
        // The first value, and none until the client awaits the next one.
        XCTAssertEqual(fetches.all.count, 1)
        let last = try await next(&events)
        XCTAssertEqual(String(decoding: last.data, as: UTF8.self), "53")
    }

    func testTheStackDoesNotGrowWithTheNumberOfClients() throws {
        let stream = try players.eventStream(in: makeQueue())
        let positions = Mutex<Set<UInt>>([])
        stream.whenUnused { positions.withLock { _ = $0.insert(stackPosition()) } }
        for _ in 0..<100 { _ = stream.client() }
        XCTAssertEqual(positions.withLock { $0.count }, 1)
    }

    func testAllClientsShareOneFetchAndOneText() async throws {
        let queue = try makeQueue()
        let fetches = Recorder<Int>()
        let texts = Recorder<Int>()
        let observation = ValueObservation.tracking { db in
            fetches.append(1)
            return try Player.fetchCount(db)
        }
        let stream = observation.eventStream(in: queue) { count in
            texts.append(count)
            return Data("\(count)".utf8)
        }
        var clients = (0..<20).map { _ in stream.client().makeAsyncIterator() }
        for index in clients.indices { _ = try await next(&clients[index]) }
        XCTAssertEqual(stream.clientCount, 20)
        try await write("INSERT INTO player (name) VALUES ('b')", in: queue)
        var ids: Set<String?> = []
        for index in clients.indices { ids.insert(try await next(&clients[index]).id) }
        XCTAssertEqual(ids.count, 1)
        XCTAssertEqual(fetches.all.count, 2)
        XCTAssertEqual(texts.all, [3, 4])
    }

    func testArraysOfIdentifiableElementsHavePatches() async throws {
        let queue = try makeQueue()
        let stream = ValueObservation.tracking { db in try Player.fetchAll(db) }.eventStream(in: queue)
        var events = stream.client().makeAsyncIterator()
        let first = try await next(&events)
        XCTAssertEqual(first.kind, .list)
        try await write("UPDATE player SET name = 'b' WHERE id = 2", in: queue)
        let patch = try await next(&events)
        XCTAssertEqual(
            String(decoding: patch.data, as: UTF8.self),
            #"{"removed":[],"moved":[],"inserted":[],"updated":[{"at":1,"row":{"id":2,"name":"b"}}]}"#)
    }

    // MARK: - The end

    func testFinishEndsAWaitingClient() async throws {
        let queue = try makeQueue()
        let client = players.eventStream(in: queue).client()
        let first = expectation(description: "first")
        let ended = Task {
            for try await _ in client { first.fulfill() }
            return true
        }
        await fulfillment(of: [first], timeout: testTimeout)
        client.finish()
        let isEnded = try await ended.value
        XCTAssertTrue(isEnded)
        // Not before: the task may be the one that ends it.
        XCTAssertEqual(queue.observations.count, 0)
    }

    func testReleasingTheIteratorEndsTheObservation() async throws {
        let queue = try makeQueue()
        let client = players.eventStream(in: queue).client()
        for try await _ in client { break }
        XCTAssertEqual(queue.observations.count, 0)
    }

    func testAFinishedClientObservesNothing() async throws {
        let queue = try makeQueue()
        let client = players.eventStream(in: queue).client()
        client.finish()
        for try await event in client { XCTFail("\(event)") }
        XCTAssertEqual(queue.observations.count, 0)
    }

    func testCancellationEndsTheSequence() async throws {
        let queue = try makeQueue()
        let stream = players.eventStream(in: queue)
        let first = expectation(description: "first")
        let task = Task {
            for try await _ in stream.client() { first.fulfill() }
            return true
        }
        await fulfillment(of: [first], timeout: testTimeout)
        task.cancel()
        let ended = try await task.value
        XCTAssertTrue(ended)
        XCTAssertEqual(queue.observations.count, 0)
    }

    func testClosingTheDatabaseEndsTheSequence() async throws {
        let queue = try makeQueue()
        let stream = players.eventStream(in: queue)
        var events = stream.client().makeAsyncIterator()
        _ = try await next(&events)
        try queue.close()
        let end = try await events.next()
        XCTAssertNil(end)
        var others = stream.client().makeAsyncIterator()
        do {
            let event = try await others.next()
            XCTAssertNil(event)
        } catch let error as DatabaseError {
            XCTAssertEqual(error.resultCode, .SQLITE_MISUSE)
        }
    }

    func testErrorsAreThrownOnceAndTheNextClientStartsAgain() async throws {
        let queue = try makeQueue()
        let stream = players.eventStream(in: queue)
        var events = stream.client().makeAsyncIterator()
        let id = try await next(&events).id
        try await write("ALTER TABLE player RENAME TO hidden", in: queue)
        do {
            let event = try await events.next()
            XCTFail("\(String(describing: event))")
        } catch let error as DatabaseError {
            XCTAssertTrue(error.description.contains("no such table: player"), "\(error)")
        }
        let end = try await events.next()
        XCTAssertNil(end)
        try await write("ALTER TABLE hidden RENAME TO player", in: queue)
        try await write("DELETE FROM player WHERE id = 1", in: queue)
        var again = stream.client(after: id).makeAsyncIterator()
        let patch = try await next(&again)
        XCTAssertEqual(patch.kind, .patch)
    }

    func testAnErrorOfTheEncoderEndsTheSequence() async throws {
        let queue = try makeQueue()
        let stream = players.eventStream(in: queue) { _ in throw CocoaError(.coderInvalidValue) }
        var events = stream.client().makeAsyncIterator()
        do {
            let event = try await events.next()
            XCTFail("\(String(describing: event))")
        } catch {
            XCTAssertTrue(error is CocoaError, "\(error)")
        }
    }

    // MARK: - Idle clients

    func testIdleClientsReceiveComments() async throws {
        let queue = try makeQueue()
        let stream = players.eventStream(in: queue)
        var events = stream.client().makeAsyncIterator()
        stream.keepAlive()
        let first = try await next(&events)
        let comment = first.kind == .comment ? first : try await next(&events)
        XCTAssertEqual(Array(comment.serverSentEvent), Array(": keep-alive\n\n".utf8))
        XCTAssertNil(comment.id)
        XCTAssertTrue(comment.data.isEmpty)
    }

    /// Each client is in one part, also if the clients have streams of their own.
    func testCommentsAreSentInParts() async throws {
        let queue = try makeQueue()
        let streams = EventStreams<Int>()
        var clients: [EventStreamClient.Iterator] = []
        for id in 0..<6 {
            let stream = streams.stream(for: id / 2) { players.eventStream(in: queue) }
            var client = stream.client().makeAsyncIterator()
            _ = try await next(&client)
            clients.append(client)
        }
        var received: [Int] = []
        for part in 0..<3 {
            streams.keepAlive(part: part, of: 3)
            try await queue.write { db in
                try Player(id: 100 + part, name: "Ada").insert(db)
            }
            for index in clients.indices {
                let event = try await next(&clients[index])
                guard event.kind == .comment else { continue }
                received.append(index)
                _ = try await next(&clients[index])
            }
            XCTAssertEqual(received.count, 2 * (part + 1))
        }
        XCTAssertEqual(received.sorted(), [0, 1, 2, 3, 4, 5])
    }

    // MARK: - Streams by query

    func testEqualQueriesShareAStream() async throws {
        let queue = try makeQueue()
        let streams = EventStreams<Int>(recentLimit: 2)
        let made = Recorder<Int>()
        func stream(_ id: Int) -> EventStream {
            streams.stream(for: id) {
                made.append(id)
                return ValueObservation.trackingList(Player.filter(Column("id") == id)).eventStream(in: queue)
            }
        }
        let first = stream(1)
        XCTAssertIdentical(stream(1), first)
        // Not in use, but among the last two.
        _ = stream(2)
        _ = stream(1)
        _ = stream(2)
        XCTAssertEqual(made.all, [1, 2])
        _ = stream(3)
        // In use.
        XCTAssertIdentical(stream(1), first)
        // Its last client makes it one of the last two.
        var kept: EventStream? = stream(5)
        let weakKept = Weak(stream: kept)
        var client: EventStreamClient? = kept?.client()
        XCTAssertEqual(client.map { _ in kept?.clientCount }, 1)
        kept = nil
        _ = stream(6)
        _ = stream(7)
        client = nil
        _ = stream(8)
        XCTAssertNotNil(weakKept.stream)
        XCTAssertEqual(made.all.suffix(4), [5, 6, 7, 8])
        _ = stream(4)
        // Neither in use nor among the last two.
        _ = stream(2)
        XCTAssertEqual(made.all, [1, 2, 3, 5, 6, 7, 8, 4, 2])
        var events = stream(3).client().makeAsyncIterator()
        XCTAssertEqual(made.all.last, 3)
        _ = try await next(&events)
        XCTAssertEqual(streams.clientCount, 1)
        streams.keepAlive()
        let comment = try await next(&events)
        XCTAssertEqual(comment.kind, .comment)
    }

    func testStreamsWithClientsDoNotDisplaceOthers() throws {
        let queue = try makeQueue()
        let streams = EventStreams<Int>(recentLimit: 1)
        func stream(_ id: Int) -> EventStream {
            streams.stream(for: id) { players.eventStream(in: queue) }
        }
        let unused = Weak(stream: stream(1))
        let clients = (2...5).map { stream($0).client() }
        XCTAssertNotNil(unused.stream)
        XCTAssertEqual(streams.clientCount, clients.count)
    }

    /// Keys can differ in the user, and still have the same stream.
    func testAStreamOfSeveralKeysIsCountedOnce() throws {
        let queue = try makeQueue()
        let streams = EventStreams<Int>(recentLimit: 2)
        let made = Recorder<Int>()
        func other() {
            _ = streams.stream(for: 3) {
                made.append(3)
                return players.eventStream(in: queue)
            }
        }
        other()
        let shared = players.eventStream(in: queue)
        for key in 1...2 { XCTAssertIdentical(streams.stream(for: key) { shared }, shared) }
        let client = shared.client()
        XCTAssertEqual(streams.clientCount, 1)
        client.finish()
        // It takes one of the two places.
        other()
        XCTAssertEqual(made.all, [3])
    }
}

private struct Weak {
    weak var stream: EventStream?
}
