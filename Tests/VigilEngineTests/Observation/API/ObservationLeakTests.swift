import Dispatch
import Vigil
import XCTest

@testable import VigilEngine

/// Ended observations are released with their captured values.
final class ObservationLeakTests: XCTestCase {
    /// An object that closures capture.
    private final class Captured: Sendable {}

    private struct Weak { weak var captured: Captured? }

    /// Starts observations, changes their region, and cancels or releases them.
    private func round(_ fixture: ObservationFixture, _ index: Int, count: Int) throws -> [Weak] {
        var weak: [Weak] = []
        var observed: [Observed<Int>] = []
        let before = try fixture.writer.read(countRows)
        for number in 0..<count {
            let captured = Captured()
            weak.append(Weak(captured: captured))
            var observation = ValueObservation.tracking { db in
                try withExtendedLifetime(captured) { try countRows(db) }
            }
            if number.isMultiple(of: 5) { observation = observation.coalescing(.never) }
            observed.append(
                fixture.observe(
                    observation.map { value in withExtendedLifetime(captured) { value } }.removeDuplicates()))
        }
        // Some are cancelled before they deliver a value.
        for observation in observed.suffix(10) { observation.cancel() }
        for observation in observed.dropLast(10) { observation.values.wait(for: before) }
        try fixture.insert()
        for observation in observed.dropLast(10) { observation.values.wait(for: before + 1) }
        if index.isMultiple(of: 2) { for observation in observed { observation.cancel() } }
        return weak
    }

    private func drain(_ fixture: ObservationFixture) throws {
        fixture.writer.writeWithoutTransaction { _ in }
        if let pool = fixture.writer as? DatabasePool { try pool.barrierWriteWithoutTransaction { _ in } }
        fixture.queue.sync {}
    }

    func testThousandsOfObservationsLeaveNothing() throws {
        let (rounds, size) = (RandomTestSettings.rounds(13), 100)
        try onEachFixture([.memory, .pool], [.queue]) { fixture in
            var weak: [Weak] = []
            for index in 0..<rounds { weak += try round(fixture, index, count: size) }
            try drain(fixture)
            XCTAssertTrue(fixture.writer.observations.isEmpty)
            XCTAssertEqual(
                fixture.writer.writeWithoutTransaction { db in db.coordinator?.observerCount }, 0)
            // Reducers run on their own threads, and release values shortly after they finish.
            let deadline = DispatchTime.now() + 10
            var held = weak.filter { $0.captured != nil }
            while !held.isEmpty, DispatchTime.now() < deadline {
                DispatchQueue.global().sync {}
                held = held.filter { $0.captured != nil }
            }
            XCTAssertEqual(held.count, 0, "of \(weak.count)")
        }
    }
}
