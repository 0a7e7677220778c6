import Foundation
import Vigil
import VigilLists
import VigilTestSupport
import VigilTesting
import XCTest

@testable import VigilEngine

/// The versions of a stream, and the events that clients receive, without an observation.
final class StreamHistoryTests: XCTestCase {
    private struct Item: Codable, Equatable, Identifiable {
        var id: Int
        var text: String
    }

    private typealias Encoder = StreamEncoder<ObservedList<Item>>

    private struct Client {
        var cursor = StreamCursor(after: nil)
        var replay = StreamReplay<Item>()
    }

    private func list(_ items: [Item]) -> ObservedList<Item> { ObservedList(identifiable: items) }

    private func items(_ ids: ClosedRange<Int>, _ text: String = "a") -> [Item] {
        ids.map { Item(id: $0, text: text) }
    }

    // MARK: - Random clients

    func testEachEventLeadsToTheVersionOfItsID() throws {
        let first = RandomTestSettings.seed
        print("streams: VIGIL_SEED=\(first)")
        for seed in first..<first + 60 {
            var random = SplitMix64(seed: seed)
            let limits = [0, 300, 1 << 20]
            let limit = limits[Int.random(in: 0..<3, using: &random)]
            var encoder = Encoder(.list(StreamJSON.encode), historySize: limit, epoch: seed)
            var clients = [Client](repeating: Client(), count: 4)
            var shown = items(1...Int.random(in: 1...12, using: &random))
            var state = try encoder.state(with: list(shown))
            var versions = [state.epoch + "-1": shown]
            for step in 0..<80 {
                if random.chance(2) {
                    edit(&shown, &random)
                    // Another process has other ids.
                    if random.chance(40) {
                        encoder = Encoder(.list(StreamJSON.encode), historySize: limit, epoch: random.next())
                    }
                    state = try encoder.state(with: list(shown))
                    versions["\(state.epoch)-\(state.version)"] = shown
                }
                let number = Int.random(in: 0..<4, using: &random)
                if random.chance(4) { clients[number] = reconnected(clients[number], &random) }
                for _ in 0..<Int.random(in: 0..<5, using: &random) {
                    guard let event = try clients[number].cursor.next(in: state) else { break }
                    try clients[number].replay.show(event)
                    let id = try XCTUnwrap(event.id)
                    XCTAssertEqual(
                        clients[number].replay.rows, versions[id], "\(step), VIGIL_SEED=\(seed)")
                }
            }
            for var client in clients {
                while let event = try client.cursor.next(in: state) { try client.replay.show(event) }
                XCTAssertEqual(client.replay.rows, shown, "VIGIL_SEED=\(seed)")
            }
        }
    }

    private func edit(_ items: inout [Item], _ random: inout SplitMix64) {
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
            let place = Int.random(in: 0...items.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: items.insert(Item(id: (items.map(\.id).max() ?? 0) + 1, text: "new"), at: place)
            case 1 where place < items.count: items.remove(at: place)
            case 2 where place < items.count: items[place].text += "\n"
            default:
                guard place < items.count else { continue }
                let item = items.remove(at: place)
                items.insert(item, at: Int.random(in: 0...items.count, using: &random))
            }
        }
    }

    private func reconnected(_ client: Client, _ random: inout SplitMix64) -> Client {
        let ids = [client.replay.id, client.replay.id, client.replay.id, nil, "~-1", "-", "~-99"]
        let id = ids[Int.random(in: 0..<ids.count, using: &random)]
        return Client(
            cursor: StreamCursor(after: id), replay: id == client.replay.id ? client.replay : .init())
    }

    // MARK: - Clients that connect again

    func testAClientReceivesTheMissingPatches() throws {
        let encoder = Encoder(.list(StreamJSON.encode), epoch: 7)
        var cursor = StreamCursor(after: nil)
        let first = try encoder.state(with: list(items(1...3)))
        let whole = try XCTUnwrap(cursor.next(in: first))
        XCTAssertEqual(whole.kind, .list)
        XCTAssertEqual(whole.id, "7-1")
        XCTAssertNil(try cursor.next(in: first))
        _ = try encoder.state(with: list(items(1...4)))
        let third = try encoder.state(with: list(items(2...4)))
        var again = StreamCursor(after: whole.id)
        let patches = [try again.next(in: third), try again.next(in: third), try again.next(in: third)]
        XCTAssertEqual(patches.map { $0?.id }, ["7-2", "7-3", nil])
        XCTAssertEqual(
            patches.compactMap { $0.map { String(decoding: $0.data, as: UTF8.self) } },
            [
                #"{"removed":[],"moved":[],"inserted":[{"at":3,"row":{"id":4,"text":"a"}}],"updated":[]}"#,
                #"{"removed":[0],"moved":[],"inserted":[],"updated":[]}"#,
            ])
    }

    func testUnknownIDsReceiveTheWholeValue() throws {
        let encoder = Encoder(.list(StreamJSON.encode), epoch: 7)
        let state = try encoder.state(with: list(items(1...2)))
        let ids: [String] = [
            "", "-", "7", "7-", "7-0", "7--1", "7-2", "8-1", "-1", "7-1 ", "7-x", "7-99999999999999999999",
            String(repeating: "7", count: 1_000_000), "\u{0}", "7-1\n", "\u{1F600}-1",
        ]
        for id in ids {
            var cursor = StreamCursor(after: id)
            XCTAssertEqual(try cursor.next(in: state)?.kind, .list, id.prefix(40).debugDescription)
        }
        var known = StreamCursor(after: "7-1")
        XCTAssertNil(try known.next(in: state))
    }

    func testMissingPatchesLargerThanTheHistoryLeadToTheWholeValue() throws {
        let encoder = Encoder(.list(StreamJSON.encode), historySize: 250, epoch: 7)
        var states = [try encoder.state(with: list(items(1...1)))]
        for last in 2...6 { states.append(try encoder.state(with: list(items(1...last)))) }
        // Each patch has about 100 bytes.
        XCTAssertEqual(states.map(\.patches.count), [0, 1, 2, 2, 2, 2])
        var late = StreamCursor(after: "7-3")
        XCTAssertEqual(try late.next(in: states[5])?.kind, .list)
        var recent = StreamCursor(after: "7-4")
        XCTAssertEqual(try recent.next(in: states[5])?.kind, .patch)
    }

    func testPatchesLargerThanTheWholeValueAreNotKept() throws {
        let encoder = Encoder(.list(StreamJSON.encode), epoch: 7)
        let first = try encoder.state(with: list(items(1...1)))
        _ = try first.wholeEvent()
        let second = try encoder.state(with: list(items(2...300)))
        XCTAssertEqual(second.patches.count, 0)
        // The size of the last whole value is known for later versions, too.
        let last = try (1...100).map { try encoder.state(with: list(items(1...1, "\($0)"))) }.last
        XCTAssertLessThan(try XCTUnwrap(last).patches.reduce(0) { $0 + $1.serverSentEvent.count }, 4097)
    }

    func testTheNumberOfPatchesIsBounded() throws {
        let encoder = Encoder(.list(StreamJSON.encode), historySize: .max, epoch: 7)
        var state = try encoder.state(with: list(items(1...1)))
        for number in 0..<1000 { state = try encoder.state(with: list(items(1...1, "\(number)"))) }
        XCTAssertEqual(state.patches.count, 256)
        XCTAssertEqual(state.version, 1001)
    }

    // MARK: - Equal values and errors

    func testEqualValuesHaveTheSameState() throws {
        let lists = Encoder(.list(StreamJSON.encode), epoch: 7)
        let list = try lists.state(with: list(items(1...3)))
        XCTAssertIdentical(try lists.state(with: self.list(items(1...3))), list)
        let values = StreamEncoder<[String: Int]>(.values(StreamJSON.encode), epoch: 7)
        let value = try values.state(with: ["b": 1, "a": 2])
        XCTAssertEqual(
            try value.wholeEvent().serverSentEvent,
            Array("id: 7-1\nevent: value\ndata: {\"a\":2,\"b\":1}\n\n".utf8))
        XCTAssertIdentical(try values.state(with: ["a": 2, "b": 1]), value)
        let other = try values.state(with: ["a": 3])
        XCTAssertEqual(other.version, 2)
        var cursor = StreamCursor(after: "7-1")
        XCTAssertEqual(try cursor.next(in: other)?.kind, .value)
    }

    func testAValueIsEncodedOnceForAllClients() throws {
        let count = Counter()
        let encoder = StreamEncoder<ObservedList<Item>>(
            .list { item in
                count.increment()
                return try StreamJSON.encode(item)
            })
        let state = try encoder.state(with: list(items(1...3)))
        XCTAssertEqual(count.value, 0)
        for _ in 0..<5 {
            var cursor = StreamCursor(after: nil)
            _ = try cursor.next(in: state)
        }
        XCTAssertEqual(count.value, 3)
    }

    /// The value of a cancelled fetch may be older than that of the fetch which replaced it.
    func testTheResultOfACancelledFetchIsNoVersion() async throws {
        let encoder = Encoder(.list(StreamJSON.encode), epoch: 7)
        let first = try encoder.state(with: list(items(1...3)))
        let task = Task { [items = items(1...1)] in
            try await encoder.state {
                withUnsafeCurrentTask { $0?.cancel() }
                return ObservedList(identifiable: items)
            }
        }
        do {
            _ = try await task.value
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is CancellationError, "\(error)")
        }
        XCTAssertIdentical(try encoder.state(with: list(items(1...3))), first)
        let second = try await encoder.state { list(items(1...4)) }
        XCTAssertEqual(second.version, 2)
    }

    func testAnErrorOfTheEncoderLeavesTheHistoryAsItIs() throws {
        let encoder = StreamEncoder<ObservedList<Item>>(
            .list { item in
                if item.text == "bad" { throw CocoaError(.coderInvalidValue) }
                return try StreamJSON.encode(item)
            }, epoch: 7)
        let first = try encoder.state(with: list(items(1...1)))
        XCTAssertThrowsError(try encoder.state(with: list(items(1...1, "bad"))))
        XCTAssertIdentical(try encoder.state(with: list(items(1...1))), first)
        let second = try encoder.state(with: list(items(1...2)))
        XCTAssertEqual(second.version, 2)
    }

    func testEqualSetsHaveOneText() throws {
        let encoder = StreamEncoder<Set<String>>(.values(StreamJSON.encode), epoch: 7)
        let names = (10..<50).map { "p\($0)" }
        let first = try encoder.state(with: Set(names))
        let text = "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        XCTAssertEqual(Array(try first.wholeEvent().data), Array(text.utf8))
        // Its elements have another order.
        var other = Set<String>(minimumCapacity: 1_000)
        other.formUnion(names)
        XCTAssertIdentical(try encoder.state(with: other), first)
        XCTAssertEqual(try encoder.state(with: other.union(["q"])).version, 2)
    }

    func testDataHasNoLineBreaks() throws {
        let encoder = StreamEncoder<Int>(.values { Data("[\n\($0),\r\n2]".utf8) }, epoch: 7)
        let event = try encoder.state(with: 1).wholeEvent()
        XCTAssertEqual(
            String(decoding: event.serverSentEvent, as: UTF8.self),
            "id: 7-1\nevent: value\ndata: [ 1,  2]\n\n")
        XCTAssertEqual(Array(event.data), Array("[ 1,  2]".utf8))
        XCTAssertEqual(try encoder.state(with: 1).version, 1)
    }
}

private final class Counter: Sendable {
    private let count = Recorder<Int>()

    var value: Int { count.all.count }

    func increment() { count.append(1) }
}
