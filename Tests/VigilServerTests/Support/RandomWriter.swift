#if PostgreSQL && os(Linux)
    import Foundation
    import Synchronization
    import VigilTestSupport

    /// A client that commits random changes of ``RandomRows``, on a thread of its own, and connects again
    /// after its session has ended.
    final class RandomWriter: Sendable {
        let commitCount = Atomic(0)
        private let finished = Atomic(false)

        var isFinished: Bool { finished.load(ordering: .acquiring) }

        init(to server: OwnServer, seed: UInt64, count: Int) {
            Thread.detachNewThread { [self] in
                var random = SeededRandom(seed: seed)
                var session: PlainSession?
                for number in 0..<count {
                    let transaction = Self.transaction("\(seed)_\(number)", &random)
                    while session == nil {
                        session = try? server.connect()
                        // A prepared transaction may keep its locks until the end of the round.
                        _ = try? session?.query("SET lock_timeout = '100ms'")
                    }
                    do {
                        for message in transaction { try session?.query(message) }
                        commitCount.add(1, ordering: .relaxed)
                    } catch {
                        // A conflict, or the end of the session.
                        if (try? session?.query("ROLLBACK")) == nil { session = nil }
                    }
                }
                finished.store(true, ordering: .releasing)
            }
        }

        /// Returns the messages of a transaction.
        private static func transaction(_ name: String, _ random: inout SeededRandom) -> [String] {
            let (write, other) = (RandomRows.write(&random), RandomRows.write(&random))
            switch Int.random(in: 0..<40, using: &random) {
            case 0: return ["BEGIN; \(write); ROLLBACK"]
            case 1: return ["BEGIN; \(write); SAVEPOINT a; \(other); ROLLBACK TO a; COMMIT"]
            case 2, 3:
                let end = random.pick(["COMMIT", "COMMIT", "ROLLBACK"])
                return ["BEGIN; \(write); PREPARE TRANSACTION '\(name)'", "\(end) PREPARED '\(name)'"]
            // Thousands of rows.
            case 4 where random.once(in: 10): return ["UPDATE t SET body = repeat('z', 9000)"]
            case 5 where random.once(in: 10):
                return [
                    "INSERT INTO s SELECT 'x' || i, i FROM generate_series(1, 4000) i; DELETE FROM s WHERE code > 'd'"
                ]
            case 6: return ["INSERT INTO l SELECT count(*) FROM l"]
            case 7: return ["BEGIN; \(write); SELECT pg_current_xact_id(); \(other); COMMIT"]
            case 8: return ["\(write); \(other)"]
            default: return [write]
            }
        }
    }
#endif
