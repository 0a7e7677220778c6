import Vigil
import XCTest

/// Random transactions in random schemas. After each of them, observed trees must equal fresh fetches.
final class RandomTreeTests: XCTestCase {
    /// Waits until an observation has delivered a value. It fails if no such value arrives.
    private func wait(for value: String, in values: Recorder<String>, _ label: String) -> Bool {
        while true {
            let all = values.all
            if all.last == value { return true }
            guard values.wait(count: all.count + 1).count > all.count else {
                XCTFail(label)
                return false
            }
        }
    }

    private func checkTrees(_ random: inout SeededNumbers, _ configuration: Configuration, _ label: String)
        throws
    {
        let library = RandomLibrary(&random)
        let requests = (0..<4).map { _ in library.request(&random) }
        let transactions = (0..<25).map { _ in
            (0...random.next(3)).map { _ in library.change(&random) }.joined(separator: ";")
        }
        try onEachWriter(configuration) { writer in
            try writer.write { try $0.execute(sql: library.schema) }
            let observed = requests.map { request in
                record(
                    ValueObservation.tracking { db in try request.fetchAll(db).map(\.tree).joined() },
                    in: writer)
            }
            defer { for (_, cancellable) in observed { cancellable.cancel() } }
            for (number, transaction) in transactions.enumerated() {
                try writer.write { try $0.execute(sql: transaction) }
                for (index, (request, (values, _))) in zip(requests, observed).enumerated() {
                    let fresh = try writer.read { try request.fetchAll($0).map(\.tree).joined() }
                    let place = "\(label), transaction \(number), request \(index)"
                    guard wait(for: fresh, in: values, place) else { return }
                }
            }
        }
    }

    func testObservedTreesEqualFreshFetches() throws {
        let seed = randomSeed("RandomTreeTests")
        var random = SeededNumbers(seed: seed)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        for round in 0..<RandomTestSettings.rounds(1) {
            try checkTrees(&random, configuration, "seed \(seed), round \(round)")
        }
    }
}
