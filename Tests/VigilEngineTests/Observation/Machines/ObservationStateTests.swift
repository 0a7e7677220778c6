import VigilRegions
import VigilTesting
import XCTest

@testable import VigilEngine

/// The states of an observation, under random events.
final class ObservationStateTests: XCTestCase {
    private typealias State = ObservationMachine.State

    private struct Transition: Hashable, CustomStringConvertible {
        let from: State
        let to: State

        var description: String { "\(from) → \(to)" }
    }

    func testExactlyTheLegalTransitionsOccur() {
        for mode in [ObservationMachine.Mode.eachCommit, .coalescing] {
            var random = SplitMix64(seed: 1)
            var seen: Set<Transition> = []
            for _ in 0..<2_000 {
                var machine = randomMachine(mode, &random)
                // A machine that waits chooses its mode itself.
                guard machine.mode == mode else { continue }
                for _ in 0..<30 {
                    let before = machine.state
                    randomEvent(&machine, &random)
                    if machine.state != before { seen.insert(Transition(from: before, to: machine.state)) }
                }
            }
            XCTAssertEqual(legal(mode).subtracting(seen), [], "never occur, \(mode)")
            XCTAssertEqual(seen.subtracting(legalOfOneEvent(mode)), [], "\(mode)")
        }
    }

    private func legal(_ mode: ObservationMachine.Mode) -> Set<Transition> {
        let all = State.allCases
        return Set(
            all.flatMap { from in
                all.filter { from.canTransition(to: $0, mode) }.map { Transition(from: from, to: $0) }
            })
    }

    /// The legal transitions, and those by way of ``State/waiting``: an event that ends one activity may
    /// begin another.
    private func legalOfOneEvent(_ mode: ObservationMachine.Mode) -> Set<Transition> {
        let single = legal(mode)
        let ends = single.filter { $0.to == .waiting }.map(\.from)
        let begins = single.filter { $0.from == .waiting }.map(\.to)
        return single.union(ends.flatMap { from in begins.map { Transition(from: from, to: $0) } })
    }

    private func randomMachine(
        _ mode: ObservationMachine.Mode, _ random: inout SplitMix64
    ) -> ObservationMachine {
        ObservationMachine(
            mode: mode, isThrottled: random.next() % 4 == 0, isDebounced: random.next() % 4 == 0,
            demand: random.next() % 4 == 0 ? Int(random.next() % 3) : nil)
    }

    private func randomEvent(_ machine: inout ObservationMachine, _ random: inout SplitMix64) {
        let commit = CommitNumber(rawValue: random.next() % 4)
        switch random.next() % 25 {
        case 0...2: _ = machine.start()
        case 3...6: _ = machine.didMatchCommit(commit)
        case 7...10: _ = machine.willFetch(at: commit)
        case 11...13: _ = machine.didFetch()
        case 14...15: _ = machine.didDeliver()
        case 16: _ = machine.didReduceToNothing()
        case 17: _ = machine.throttlingIntervalDidEnd()
        case 18: _ = machine.debounceIntervalDidEnd()
        case 19...20: _ = machine.setPaused(random.next() % 2 == 0)
        case 21: _ = machine.request(1)
        case 22: _ = machine.didFail()
        case 23: _ = machine.didNotFetch()
        default: _ = machine.cancel()
        }
    }
}
