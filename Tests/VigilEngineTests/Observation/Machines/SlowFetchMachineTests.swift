import XCTest

@testable import VigilEngine

/// Slow fetches beside rounds, step by step.
final class SlowFetchMachineTests: XCTestCase {
    private typealias Machine = FetchRoundMachine<Int>

    private let start = ContinuousClock.now
    private let lease = Machine.Action.lease(.init(timeout: RoundPacing.maximumAge))

    /// Begins a round in which the observers from 100 on are slow, each on its own.
    private func begin(_ machine: inout Machine) -> Machine.RoundNumber {
        let stale = machine.beginRound(at: start)
        return machine.startRound(
            stale.filter { $0 < 100 }, slow: stale.filter { $0 >= 100 }.map { [$0] })
    }

    private func end(_ machine: inout Machine, _ round: Machine.RoundNumber) -> Machine.Action {
        machine.endRound(round, at: start, reads: false)
    }

    private func fetches(_ machine: inout Machine, in round: Machine.RoundNumber) -> [Int] {
        var fetches: [Int] = []
        while let next = machine.nextFetch(in: round) { fetches.append(next) }
        return fetches
    }

    func testASlowFetchRunsBesideTheRounds() {
        var machine = Machine(readerCount: 5)
        _ = machine.becameStale([1, 100, 2], isInitial: false)
        let round = begin(&machine)
        XCTAssertTrue(machine.requestsSlowReader())
        XCTAssertFalse(machine.requestsSlowReader())
        XCTAssertEqual(fetches(&machine, in: round), [1, 2])
        let slow = machine.beginSlowRound()
        XCTAssertEqual(machine.nextFetch(in: slow), 100)
        XCTAssertEqual(end(&machine, round), .none)
        // The next rounds do not wait for it.
        for _ in 0..<3 {
            XCTAssertEqual(machine.becameStale([1], isInitial: false), lease)
            let next = begin(&machine)
            XCTAssertEqual(fetches(&machine, in: next), [1])
            XCTAssertEqual(end(&machine, next), .none)
        }
        XCTAssertNil(machine.nextFetch(in: slow))
        XCTAssertEqual(end(&machine, slow), .none)
    }

    func testSlowFetchesUseLessThanHalfOfTheReaders() {
        for (readers, expected) in [(1, 0), (2, 1), (3, 1), (4, 1), (5, 2), (9, 4)] {
            var machine = Machine(readerCount: readers)
            _ = machine.becameStale(Array(100..<120), isInitial: false)
            _ = end(&machine, begin(&machine))
            var count = 0
            while machine.requestsSlowReader() { count += 1 }
            XCTAssertEqual(count, expected, "\(readers) readers")
        }
    }

    func testAReaderThatIsReleasedIsRequestedForTheNextSlowFetch() {
        var machine = Machine(readerCount: 2)
        _ = machine.becameStale([100, 101], isInitial: false)
        _ = end(&machine, begin(&machine))
        for observer in [100, 101] {
            XCTAssertTrue(machine.requestsSlowReader())
            XCTAssertFalse(machine.requestsSlowReader())
            let slow = machine.beginSlowRound()
            XCTAssertEqual(fetches(&machine, in: slow), [observer])
            _ = end(&machine, slow)
        }
        XCTAssertFalse(machine.requestsSlowReader())
        XCTAssertFalse(machine.isWaitingForSlowReader)
    }

    func testSlowObserversThatShareAFetchAreInOneRound() {
        var machine = Machine(readerCount: 2)
        _ = machine.becameStale([100, 101, 102], isInitial: false)
        let stale = machine.beginRound(at: start)
        _ = end(&machine, machine.startRound([], slow: [[stale[0], stale[2]], [stale[1]]]))
        XCTAssertTrue(machine.requestsSlowReader())
        let slow = machine.beginSlowRound()
        XCTAssertEqual(fetches(&machine, in: slow), [100, 102])
    }

    func testSlowFetchesAreTheLastOfARoundIfThereIsOneReader() {
        var machine = Machine(readerCount: 1)
        _ = machine.becameStale([100, 1, 101, 2], isInitial: false)
        let round = begin(&machine)
        XCTAssertFalse(machine.requestsSlowReader())
        XCTAssertFalse(machine.beginsWatch())
        XCTAssertEqual(fetches(&machine, in: round), [1, 2, 100, 101])
    }

    // MARK: - Watches

    func testTheRestOfARoundOvertakesAFetchThatTurnsOutToBeSlow() {
        var machine = Machine(readerCount: 2)
        _ = machine.becameStale([1, 2, 3], isInitial: false)
        let slow = begin(&machine)
        XCTAssertTrue(machine.beginsWatch())
        XCTAssertEqual(machine.nextFetch(in: slow), 1)
        _ = machine.becameStale([4, 3], isInitial: false)
        let (action, continues) = machine.watchDidFire(at: start + RoundPacing.slowFetch)
        XCTAssertEqual(action, .lease(.init(timeout: RoundPacing.maximumAge - RoundPacing.slowFetch)))
        XCTAssertFalse(continues)
        // 3 became stale a second time, and is fetched once.
        let next = begin(&machine)
        XCTAssertEqual(fetches(&machine, in: next), [2, 4, 3])
        XCTAssertNil(machine.nextFetch(in: slow))
        XCTAssertEqual(end(&machine, slow), .none)
        XCTAssertEqual(machine.current, next)
        XCTAssertEqual(end(&machine, next), .none)
    }

    func testARoundOfManyFetchesIsNotOvertaken() {
        var machine = Machine(readerCount: 2)
        _ = machine.becameStale(Array(1...10), isInitial: false)
        let round = begin(&machine)
        XCTAssertTrue(machine.beginsWatch())
        XCTAssertFalse(machine.beginsWatch(), "one watch is enough")
        for number in 1...5 {
            XCTAssertEqual(machine.nextFetch(in: round), 2 * number - 1)
            XCTAssertEqual(machine.nextFetch(in: round), 2 * number)
            let (action, continues) = machine.watchDidFire(at: start)
            XCTAssertEqual(action, .none)
            XCTAssertTrue(continues)
        }
        XCTAssertEqual(end(&machine, round), .none)
        XCTAssertFalse(machine.watchDidFire(at: start).continues)
        XCTAssertTrue(machine.beginsWatch(), "the first watch has ended")
    }

    func testAWatchThatBeganInAnEarlierRoundDoesNotOvertakeOneThatHasNotFetched() {
        var machine = Machine(readerCount: 2)
        _ = machine.becameStale([1], isInitial: false)
        let first = begin(&machine)
        XCTAssertTrue(machine.beginsWatch())
        XCTAssertEqual(fetches(&machine, in: first), [1])
        _ = machine.becameStale([2], isInitial: false)
        XCTAssertEqual(end(&machine, first), lease)
        let stale = machine.beginRound(at: start)
        // The driver is about to find out which observers are slow.
        for _ in 0..<3 { XCTAssertTrue(machine.watchDidFire(at: start).continues) }
        let second = machine.startRound(stale)
        XCTAssertEqual(second, machine.current)
        XCTAssertEqual(fetches(&machine, in: second), [2])
    }

    func testAWatchGoesOnWhileNoReaderIsAvailable() {
        var machine = Machine(readerCount: 2)
        _ = machine.becameStale([1, 100], isInitial: false)
        let round = begin(&machine)
        XCTAssertTrue(machine.requestsSlowReader())
        let slow = machine.beginSlowRound()
        XCTAssertTrue(machine.beginsWatch())
        _ = machine.nextFetch(in: round)
        XCTAssertTrue(machine.watchDidFire(at: start).continues)
        _ = end(&machine, slow)
        XCTAssertFalse(machine.watchDidFire(at: start).continues)
        XCTAssertNil(machine.current, "it was overtaken")
    }

    func testInitialFetchesThatOvertakeAreHurried() {
        var machine = Machine(readerCount: 2)
        _ = machine.becameStale([1, 2], isInitial: true)
        let round = begin(&machine)
        XCTAssertTrue(machine.beginsWatch())
        _ = machine.nextFetch(in: round)
        XCTAssertEqual(machine.watchDidFire(at: start).0, .lease(.init(timeout: .zero)))
    }

    // MARK: - Postponed fetches

    func testAPostponedFetchIsRepeatedAfterItsPause() {
        var machine = Machine(readerCount: 2)
        _ = machine.becameStale([1], isInitial: false)
        let round = begin(&machine)
        XCTAssertEqual(fetches(&machine, in: round), [1])
        XCTAssertEqual(end(&machine, round), .none)
        let postponement = machine.postpone([1])
        XCTAssertEqual(machine.stale, [])
        XCTAssertEqual(machine.postponementDidEnd(postponement), lease)
        XCTAssertEqual(machine.beginRound(at: start), [1])
        XCTAssertEqual(machine.postponementDidEnd(postponement), .none)
    }

    func testAPostponedFetchDelaysNoRound() {
        var machine = Machine(readerCount: 2)
        _ = machine.postpone([1])
        XCTAssertEqual(machine.becameStale([2], isInitial: false), lease)
        let round = begin(&machine)
        XCTAssertEqual(fetches(&machine, in: round), [2])
        XCTAssertEqual(end(&machine, round), .none)
    }

    func testTheEndOfAllPausesRepeatsPostponedFetches() {
        var machine = Machine(readerCount: 2)
        let first = machine.postpone([1, 2])
        _ = machine.postpone([3])
        XCTAssertEqual(machine.endPause(), lease)
        XCTAssertEqual(machine.beginRound(at: start), [1, 2, 3])
        XCTAssertEqual(machine.postponementDidEnd(first), .none)
    }
}
