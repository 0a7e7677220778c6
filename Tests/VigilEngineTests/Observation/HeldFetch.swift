import Synchronization
import Vigil

/// Observes the number of rows of `t`. The fetch of one row opens a gate, and waits for another one.
func rowCounts(fetching: Gate, goOn: Gate) -> ValueObservation<ValueReducers.Fetch<Int>> {
    ValueObservation.tracking { db in
        let count = try countRows(db)
        if count == 1 {
            fetching.open()
            goOn.wait()
        }
        return count
    }
}

/// Fetches of the number of rows of `t`, one of which is interrupted by a suspension of its database.
final class SuspendedFetch: Sendable {
    private let isNext = Mutex(false)

    /// - Parameter suspendAndResume: suspends the database for a moment.
    init(_ writer: any DatabaseWriter, suspendAndResume: @escaping @Sendable () -> Void) {
        writer.writeWithoutTransaction { db in
            db.add(
                function: DatabaseFunction("suspend", argumentCount: 0) { _ in
                    suspendAndResume()
                    return 1
                })
        }
    }

    /// Lets the next fetch be interrupted.
    func interruptNext() { isNext.withLock { $0 = true } }

    func count(_ db: Database) throws -> Int {
        let isInterrupted = isNext.withLock { isNext in
            defer { isNext = false }
            return isNext
        }
        if isInterrupted {
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT suspend() UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                    SELECT COUNT(*) FROM n
                    """)
        }
        return try countRows(db)
    }
}
