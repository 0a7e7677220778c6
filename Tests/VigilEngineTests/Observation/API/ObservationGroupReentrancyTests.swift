import Synchronization
import Vigil
import XCTest

@testable import VigilEngine

/// The closures of a group's members run without a lock.
final class ObservationGroupReentrancyTests: XCTestCase {
    private typealias Reducer = ValueReducers.Group<(Int, Int)>

    /// A copy of a group's reducer, which shares the state of the members.
    private final class SharedReducer: Sendable {
        let copy = Mutex<(reducer: Reducer, fetched: Reducer.Fetched)?>(nil)
        let errors = Mutex<[DatabaseError]>([])

        func reduce() {
            guard let (copied, fetched) = copy.withLock({ $0.take() }) else { return }
            var reducer = copied
            do {
                _ = try reducer._value(fetched, at: .zero)
            } catch {
                if let error = error as? DatabaseError { errors.withLock { $0.append(error) } }
            }
        }
    }

    func testATransformationDoesNotWaitForItsOwnGroup() throws {
        let shared = SharedReducer()
        let member = ValueObservation.tracking { _ in 1 }.map { value in
            shared.reduce()
            return value
        }
        var reducer = ObservationGroup(member, ValueObservation.tracking { _ in 2 }).observation.reducer
        let fetched = try DatabaseQueue().read { [reducer] db in try reducer._fetch(db) }
        // The first value creates the state that copies share.
        XCTAssertEqual(try reducer._value(fetched, at: .zero)?.0, 1)
        shared.copy.withLock { $0 = (reducer, fetched) }
        XCTAssertEqual(try reducer._value(fetched, at: .zero)?.1, 2)
        XCTAssertEqual(shared.errors.withLock { $0.map(\.resultCode) }, [.SQLITE_MISUSE])
        XCTAssertNotNil(try reducer._value(fetched, at: .zero), "the reducer is put back")
    }
}
