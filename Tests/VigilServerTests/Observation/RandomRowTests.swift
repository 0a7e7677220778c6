#if PostgreSQL
    import Synchronization
    import Vigil
    import VigilTestSupport
    import XCTest

    /// Observations of random rows while random statements write: each last value equals a fresh result.
    final class RandomRowTests: PublicationTestCase {
        func testEachObservedValueEqualsAFreshOne() throws {
            var random = SeededRandom.seeded()
            print("seed \(random.seed)")
            try run(RandomRows.definitions(&random))
            let dbPool = try makePrecisePool()
            let observed = (0..<60).map { _ in ObservedQuery(RandomRows.query(&random), in: dbPool) }
            var count = 0
            let steps = RandomTestSettings.rounds(80)
            for step in 0..<steps {
                var writes: [String] = []
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    writes.append(RandomRows.write(&random))
                }
                let sql = writes.joined(separator: ";\n")
                do {
                    try dbPool.write { db in try db.execute(sql: sql) }
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                    continue
                }
                count += 1
                if let missed = try ObservedQuery.firstMissed(observed, dbPool) {
                    return XCTFail("missed in step \(step): \(sql)\n\(missed)")
                }
            }
            let fetches = observed.reduce(0) { $0 + $1.fetchCount.load(ordering: .relaxed) }
            print("\(count) commits, \(fetches) fetches by \(observed.count) observations")
            XCTAssertGreaterThan(count, steps / 3)
            // Without conditions, each commit would fetch nearly all.
            XCTAssertLessThan(fetches, count * observed.count / 2)
            for observer in observed { observer.cancel() }
            try dbPool.close()
        }
    }
#endif
