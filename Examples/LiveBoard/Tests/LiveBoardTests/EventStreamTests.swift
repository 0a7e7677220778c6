import Foundation
import Vigil
import XCTest

@testable import LiveBoard

final class EventStreamTests: XCTestCase {
    func testTheFirstEventIsTheWholeState() async throws {
        try await RunningServer.run { server in
            try server.insertFromElsewhere("Ada", meters: 5000)
            // Anyone can send such a header.
            for header in ["", "Last-Event-ID: 7\r\n", "Last-Event-ID: x-1\r\n"] {
                try await server.withClient(headers: header) { client in
                    let head = try await client.read(through: "\r\n\r\n")
                    XCTAssertTrue(head.hasPrefix("HTTP/1.1 200 OK\r\n"), head)
                    for field in ["content-type: text/event-stream\r\n", "x-accel-buffering: no\r\n"] {
                        XCTAssertTrue(head.lowercased().contains(field), head)
                    }
                    let start = try await client.read(through: "id: ")
                    XCTAssertTrue(start.contains("retry: 2000\n\n"), start)
                    let board = try await client.value(String.self)
                    XCTAssertTrue(board.contains("<span class=\"name\">Ada</span>"), board)
                    XCTAssertTrue(board.contains("<span id=\"total\">5.0</span>"), board)
                }
            }
        }
    }

    func testABrowserThatConnectsAgainReceivesWhatItHasMissed() async throws {
        try await RunningServer.run { server in
            try server.insertFromElsewhere("Ada", meters: 5000)
            var id = ""
            try await server.withClient(path: "/list/events") { client in
                id = try await client.id()
                _ = try await client.read(through: "event: list\n")
            }
            try server.insertFromElsewhere("Grace", meters: 7000)
            try await server.withClient(path: "/list/events", headers: "Last-Event-ID: \(id)\r\n") { client in
                let patch = try await client.read(through: "\n\n", after: "event: patch\ndata: ")
                XCTAssertTrue(patch.contains("Grace"), patch)
                XCTAssertFalse(patch.contains("Ada"), patch)
            }
        }
    }

    func testEachBrowserObservesItsOwnQuery() async throws {
        try await RunningServer.run { server in
            try server.insertFromElsewhere("Ada", meters: 5000)
            try server.insertFromElsewhere("Grace", meters: 7000)
            try await server.withClient(path: "/total/events?runner=Ada") { ada in
                try await server.withClient(path: "/list/events?runner=Grace&limit=1") { grace in
                    let first = try await ada.value(RunnerTotal.self)
                    XCTAssertEqual(first, RunnerTotal(runs: 1, meters: 5000))
                    let list = try await grace.read(through: "\n\n", after: "event: list\ndata: ")
                    XCTAssertFalse(list.contains("Ada"), list)
                    try server.insertFromElsewhere("Grace", meters: 8000)
                    let patch = try await grace.read(through: "\n\n", after: "event: patch\ndata: ")
                    XCTAssertTrue(patch.contains("8.0 km"), patch)
                    try server.insertFromElsewhere("Ada", meters: 1000)
                    let next = try await ada.value(RunnerTotal.self)
                    XCTAssertEqual(next, RunnerTotal(runs: 2, meters: 6000))
                }
            }
        }
    }

    func testQueriesThatCannotBeObservedAreRefused() async throws {
        try await RunningServer.run { server in
            let long = String(repeating: "a", count: 201)
            for path in [
                "/list/events?limit=0", "/list/events?limit=1001", "/list/events?limit=1%3B", "/total/events",
                "/list/events?limit=99999999999999999999", "/total/events?runner=\(long)",
                "/total/events?runner=%00", "/list/events?runner=a%0Ab",
            ] {
                let response = try await server.get(path)
                XCTAssertEqual(response.status, 400, path)
                XCTAssertFalse(response.body.isEmpty, path)
            }
            XCTAssertEqual(server.broadcast.status.observations, 0)
        }
    }

    func testValuesOfAQueryAreNeverSQL() async throws {
        try await RunningServer.run { server in
            try server.insertFromElsewhere("Ada", meters: 5000)
            let injection = "x'%20OR%201%3D1%20--"
            try await server.withClient(path: "/total/events?runner=\(injection)") { client in
                let total = try await client.value(RunnerTotal.self)
                XCTAssertEqual(total, RunnerTotal(runs: 0, meters: 0))
            }
        }
    }

    func testAHeaderOfAMegabyteIsRefusedAndOthersAreServed() async throws {
        try await RunningServer.run { server in
            try await server.withClient { client in
                _ = try await client.value(String.self)
                let header = "Last-Event-ID: " + String(repeating: "7", count: 1_000_000)
                // The server answers or closes the connection before it has read everything.
                let answer = try? await server.get("/events", headers: header + "\r\n")
                if let status = answer?.status {
                    XCTAssertTrue([400, 413, 431].contains(status), "\(status)")
                }
                try server.insertFromElsewhere("Ada", meters: 5000)
                let board = try await client.value(String.self)
                XCTAssertTrue(board.contains("Ada"))
            }
        }
    }

    func testTwoBrowsersShareOneObservationOfChangesMadeElsewhere() async throws {
        try await RunningServer.run { server in
            try await server.withClient { one in
                let empty = try await one.value(String.self)
                XCTAssertTrue(empty.contains("No runs yet."), empty)
                try await server.withClient { two in
                    _ = try await two.value(String.self)
                    XCTAssertEqual(server.broadcast.status.browsers, 2)
                    XCTAssertEqual(server.database.observations.map(\.label), ["board"])
                    let fetches = server.broadcast.status.fetches
                    try server.insertFromElsewhere("<b>&\"", meters: 8000)
                    for text in [try await one.value(String.self), try await two.value(String.self)] {
                        XCTAssertTrue(text.contains("&lt;b&gt;&amp;&quot;</span>"), text)
                        XCTAssertFalse(text.contains("<b>&"), text)
                    }
                    XCTAssertEqual(server.broadcast.status.fetches, fetches + 1)
                }
            }
        }
    }

    func testTheObservationEndsWithTheLastBrowserAndStartsAgain() async throws {
        try await RunningServer.run { server in
            var events = server.events.makeAsyncIterator()
            for _ in 1...2 {
                try await server.withClient { one in
                    _ = try await one.value(String.self)
                    try await server.withClient { two in _ = try await two.value(String.self) }
                }
                let started = await events.next()
                XCTAssertEqual(started, .observationStarted)
                let ended = await events.next()
                XCTAssertEqual(ended, .observationEnded)
                XCTAssertEqual(server.database.observations.count, 0)
            }
        }
    }

    func testNoFetchOccursWithoutBrowsers() async throws {
        try await RunningServer.run { server in
            try server.insertFromElsewhere("Ada", meters: 5000)
            let status = try await server.get("/status")
            let figures = try JSONDecoder().decode(Broadcast.Status.self, from: Data(status.body.utf8))
            XCTAssertEqual(figures, .init(browsers: 0, observations: 0, fetches: 0, updates: 0))
        }
    }

    func testIdleBrowsersReceiveComments() async throws {
        try await RunningServer.run { server in
            try await server.withClient { client in
                _ = try await client.value(String.self)
                server.broadcast.keepAlive(part: 0, of: 1)
                _ = try await client.read(through: ": keep-alive\n\n")
            }
        }
    }

    func testABrowserThatNeverReadsDelaysNoOther() async throws {
        try await RunningServer.run { server in
            try server.insertFromElsewhere(String(repeating: "x", count: 200), meters: 5000)
            try await server.withClient { _ in
                try await server.withClient(path: "/total/events?runner=Ada") { ada in
                    _ = try await ada.value(RunnerTotal.self)
                    for number in 1...300 {
                        try await server.database.write { db in
                            try db.execute(literal: "INSERT INTO run (runner, meters) VALUES ('Ada', 1000)")
                        }
                        let total = try await ada.value(RunnerTotal.self)
                        XCTAssertEqual(total, RunnerTotal(runs: number, meters: 1000 * number))
                    }
                }
            }
        }
    }

    func testHealthAndMetrics() async throws {
        try await RunningServer.run { server in
            let health = try await server.get("/health")
            XCTAssertEqual(health.status, 200)
            try await server.withClient { client in
                _ = try await client.value(String.self)
                let metrics = try await server.get("/metrics")
                XCTAssertTrue(metrics.body.contains("\nliveboard_browsers 1\n"), metrics.body)
                XCTAssertTrue(metrics.body.contains("\nliveboard_fetches_total 1\n"), metrics.body)
                XCTAssertTrue(
                    metrics.body.contains("\nliveboard_delivery_delay_seconds_count 0\n"), metrics.body)
            }
        }
    }

    func testShutdownEndsTheEventStreams() async throws {
        try await RunningServer.run { server in
            try await server.withClient { client in
                _ = try await client.value(String.self)
                await server.group.triggerGracefulShutdown()
                let rest = try await client.readToEnd()
                XCTAssertTrue(rest.hasSuffix("\r\n0\r\n\r\n"), rest)
            }
        }
    }

    func testAnErrorEndsTheStreamAndTheNextBrowserObservesAgain() async throws {
        try await RunningServer.run { server in
            var events = server.events.makeAsyncIterator()
            try await server.withClient { client in
                _ = try await client.value(String.self)
                try await server.database.write { db in
                    try db.execute(sql: "ALTER TABLE run RENAME TO hidden")
                }
                _ = try await client.read(
                    through: "event: failure\ndata: The server cannot read the database.\n\n")
                _ = try await client.readToEnd()
            }
            let started = await events.next()
            XCTAssertEqual(started, .observationStarted)
            guard case .observationFailed(let error)? = await events.next() else {
                return XCTFail("The observation has not failed")
            }
            XCTAssertTrue(error.contains("no such table: run"), error)
            try await server.database.write { db in try db.execute(sql: "ALTER TABLE hidden RENAME TO run") }
            try await server.withClient { client in
                _ = try await client.value(String.self)
            }
        }
    }
}
