#if PostgreSQL
    import Synchronization
    import Vigil
    import XCTest

    struct RandomQuery {
        var sql: String
        var arguments: StatementArguments = []

        func fetch(_ db: Database) throws -> [String] {
            try Row.fetchAll(db, sql: sql, arguments: arguments).map { "\($0)" }
        }
    }

    /// The last value of an observed query.
    final class ObservedQuery: Sendable {
        let query: RandomQuery
        let last = Mutex<[String]?>(nil)
        let fetchCount = Atomic(0)
        private let cancellable = Mutex<AnyDatabaseCancellable?>(nil)

        init(_ query: RandomQuery, in dbPool: DatabasePool) {
            self.query = query
            let observation = ValueObservation.tracking { [self] db in
                fetchCount.add(1, ordering: .relaxed)
                return try query.fetch(db)
            }
            let started = observation.start(
                in: dbPool, scheduling: .async(onQueue: .global()),
                onError: { XCTFail("\($0) \(query.sql)") },
                onChange: { [self] value in last.withLock { $0 = value } })
            cancellable.withLock { $0 = started }
        }

        func cancel() { cancellable.withLock { $0.take() }?.cancel() }

        /// Waits until the last values equal fresh ones, while nothing is committed. Returns the first that
        /// does not.
        static func firstMissed(_ observed: [ObservedQuery], _ dbPool: DatabasePool) throws -> String? {
            let fresh = try dbPool.read { db in try observed.map { try $0.query.fetch(db) } }
            let end = ContinuousClock.now + .seconds(30)
            for (observer, expected) in zip(observed, fresh) {
                while observer.last.withLock({ $0 }) != expected {
                    if ContinuousClock.now < end { continue }
                    return """
                        \(observer.query.sql) \(observer.query.arguments)
                        observed \(observer.last.withLock { $0 } ?? [])
                        expected \(expected)
                        """
                }
            }
            return nil
        }
    }
#endif
