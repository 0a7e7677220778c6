#if PostgreSQL
    public import Foundation
    import Dispatch
    import Synchronization
    public import VigilEngine
    import VigilQuery
    import VigilRegions
    public import VigilStorage

    /// Observes a PostgreSQL server for a program that reads it with a client of its own, such as PostgresNIO
    /// or Fluent.
    ///
    /// ```swift
    /// let live = try PostgresObservations("postgres://app@db.example.com/shop")
    /// let players = live.values(of: "SELECT id, name FROM player WHERE team = ?", [5]) {
    ///     try await Player.query(on: fluent).filter(\.$team == 5).all()
    /// }
    /// for try await players in players { … }
    /// ```
    ///
    /// The statement is analysed and never run: it describes what the closure reads. The closure runs first
    /// when the iteration begins, and again after commits that may have changed the result of the statement.
    /// The result contains these commits. What is precise, and what the server needs for it, is as for
    /// ``/VigilEngine/DatabasePool``.
    ///
    /// Vigil's sessions look up the names in the statement. If the client of the closure has another search
    /// path, set it in `Configuration.prepareDatabase`, or write the schemas in the statement: `shop.player`.
    /// Otherwise, the tables of another schema are observed.
    ///
    /// Equal statements with equal arguments, roles and types of values share one closure: that of the first
    /// iteration. A slow consumer skips values, but never the last one. The number of Vigil's sessions does
    /// not depend on the number of observations.
    ///
    /// All methods are thread-safe. Iterations retain the sessions until they end.
    public final class PostgresObservations: Sendable {
        /// The properties that distinguish shared observations.
        private struct Key: Hashable {
            let query: Query
            let role: ExactString?
            let type: ObjectIdentifier
        }

        /// A statement that describes what a closure reads.
        public struct Statement: Sendable, Hashable, ExpressibleByStringLiteral {
            let sql: String
            let arguments: StatementArguments

            /// Creates a statement.
            ///
            /// - Parameters:
            ///   - sql: one statement, with `?` or `$1` for arguments.
            ///   - arguments: the values of the arguments.
            public init(_ sql: String, _ arguments: StatementArguments = StatementArguments()) {
                self.sql = sql
                self.arguments = arguments
            }

            /// Creates a statement without arguments.
            public init(stringLiteral sql: String) { self.init(sql) }

            /// Returns whether the server cannot distinguish two statements: their texts have the same bytes,
            /// and their arguments the same types and values.
            public static func == (a: Statement, b: Statement) -> Bool {
                a.sql.isIdentical(to: b.sql) && a.arguments.isIdentical(to: b.arguments)
            }

            /// Hashes the text and the arguments.
            public func hash(into hasher: inout Hasher) {
                hasher.combine(sql)
                hasher.combine(arguments)
            }
        }

        /// The statements or the tables that describe the reads of a closure.
        private enum Query: Hashable {
            case statements([Statement])
            case tables([ExactString])

            var regions: [any DatabaseRegionConvertible] {
                switch self {
                case .statements(let statements):
                    statements.map { SQLRequest<Row>(sql: $0.sql, arguments: $0.arguments) }
                case .tables(let names): names.map { Table<Row>($0.string).all() }
                }
            }
        }

        private let dbPool: DatabasePool
        private let limiter: FetchLimiter
        private let observed = Mutex(WeakValues<Key, any AnyObject & Sendable>())

        /// Connects to a server.
        ///
        /// - Parameters:
        ///   - server: a URL, or pairs of keys and values, as libpq reads them.
        ///   - configuration: the configuration of Vigil's own sessions.
        ///   - maximumFetchCount: the number of closures that run at the same time. The others wait, in their
        ///     order.
        /// - Throws: `DatabaseError` if the server cannot be reached, or refuses the connection.
        public init(
            _ server: String, configuration: Configuration = Configuration(), maximumFetchCount: Int = 8
        ) throws {
            var configuration = configuration
            // The client of the closures may have any role.
            configuration.hasOtherRoles = true
            dbPool = try DatabasePool(server: server, configuration: configuration)
            limiter = FetchLimiter(limit: maximumFetchCount)
        }

        /// Closes Vigil's sessions. Iterations end without an error.
        ///
        /// - Throws: `DatabaseError` if a session is in use.
        public func close() throws {
            try dbPool.close()
        }

        /// The running observations, with the reason why changes are not known by row.
        public var observations: [ObservationStatus] { dbPool.observations }

        /// Returns how precisely commits are known, after waiting while the sessions are being connected.
        ///
        /// - Parameter timeout: the longest wait, in seconds.
        public func feedState(timeout: TimeInterval) -> CommitFeedState? {
            dbPool.feedState(timeout: timeout)
        }

        // MARK: - Values

        /// Returns the values of a closure, fetched again when the result of a statement may have changed.
        ///
        /// - Parameters:
        ///   - sql: what the closure reads: one statement, with `?` or `$1` for arguments.
        ///   - arguments: the values of the arguments. They restrict the observed rows.
        ///   - role: a text that distinguishes closures with different results for the same statement, such
        ///     as the user to which row security applies. `nil` if all closures for it are equal.
        ///   - bufferingPolicy: the number of values to keep until they are awaited. A full buffer causes no
        ///     fetch.
        ///   - fetch: fetches a value, with any client of the same server, in a transaction that begins with
        ///     the call. An error ends the iterations, and a new one starts again.
        /// - Returns: a sequence that throws the error of `fetch`, or `DatabaseError` if the statement is
        ///   invalid.
        public func values<Value: Sendable>(
            of sql: String, _ arguments: StatementArguments = StatementArguments(), role: String? = nil,
            bufferingPolicy: AsyncValueObservation<Value>.BufferingPolicy = .bufferingNewest(1),
            fetch: @escaping @Sendable () async throws -> Value
        ) -> AsyncValueObservation<Value> {
            observation(of: Value.self, .statements([Statement(sql, arguments)]), role: role, fetch: fetch) {
                $0
            }
            .values(bufferingPolicy: bufferingPolicy)
        }

        /// Returns the values of a closure that reads several statements in one state of the database, also
        /// at the same time with several sessions.
        ///
        /// ```swift
        /// let values = live.values(ofAll: ["SELECT * FROM run", "SELECT * FROM runner"]) { snapshot in
        ///     async let distance = client.distance(in: snapshot)
        ///     async let runners = client.runnerCount(in: snapshot)
        ///     return try await (distance, runners)
        /// }
        /// ```
        ///
        /// For each fetch, Vigil opens one more session, which holds the snapshot.
        ///
        /// - Parameters:
        ///   - statements: what the closure reads.
        ///   - role: a text that distinguishes closures with different results for the same statements.
        ///   - bufferingPolicy: the number of values to keep until they are awaited.
        ///   - fetch: fetches a value, as in ``values(of:_:role:bufferingPolicy:fetch:)``. It receives the
        ///     identifier of a snapshot, which is valid until it returns: each transaction begins with
        ///     `BEGIN ISOLATION LEVEL REPEATABLE READ` and `SET TRANSACTION SNAPSHOT '…'`.
        /// - Returns: a sequence that throws the error of `fetch`, or `DatabaseError` if a statement is
        ///   invalid or the snapshot cannot be made.
        public func values<Value: Sendable>(
            ofAll statements: [Statement], role: String? = nil,
            bufferingPolicy: AsyncValueObservation<Value>.BufferingPolicy = .bufferingNewest(1),
            fetch: @escaping @Sendable (_ snapshot: String) async throws -> Value
        ) -> AsyncValueObservation<Value> {
            observation(of: Value.self, .statements(statements), role: role) { [dbPool] in
                let (snapshot, identifier) = try await Self.exportSnapshot(of: dbPool)
                defer { withExtendedLifetime(snapshot) {} }
                return try await fetch(identifier)
            } _: {
                $0
            }
            .values(bufferingPolicy: bufferingPolicy)
        }

        private static func exportSnapshot(
            of dbPool: DatabasePool
        ) async throws -> (DatabaseSnapshot, identifier: String) {
            try await withCheckedThrowingContinuation { continuation in
                // It waits for the server.
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            let snapshot = try dbPool.makeSnapshot()
                            return (snapshot, try snapshot.exportIdentifier())
                        })
                }
            }
        }

        /// Returns the values of a closure, fetched again when one of some tables may have changed.
        ///
        /// - Parameters:
        ///   - tables: the names of tables and views, without quotation marks.
        ///   - role: a text that distinguishes closures with different results for the same tables.
        ///   - bufferingPolicy: the number of values to keep until they are awaited.
        ///   - fetch: fetches a value, as in ``values(of:_:role:bufferingPolicy:fetch:)``.
        /// - Returns: a sequence that throws the error of `fetch`, or `DatabaseError` if a table is missing.
        public func values<Value: Sendable>(
            tables: [String], role: String? = nil,
            bufferingPolicy: AsyncValueObservation<Value>.BufferingPolicy = .bufferingNewest(1),
            fetch: @escaping @Sendable () async throws -> Value
        ) -> AsyncValueObservation<Value> {
            observation(of: Value.self, .tables(tables.map(ExactString.init)), role: role, fetch: fetch) {
                $0
            }
            .values(bufferingPolicy: bufferingPolicy)
        }

        // MARK: - Streams

        /// Returns the values of a closure as events for clients of this server, as JSON.
        ///
        /// Equal statements share a stream while it is retained. Retain it, for example by
        /// ``/VigilEngine/EventStreams``, so that clients which connect again receive what they missed.
        ///
        /// - Parameters:
        ///   - sql: what the closure reads, as in ``values(of:_:role:bufferingPolicy:fetch:)``.
        ///   - arguments: the values of the arguments.
        ///   - role: a text that distinguishes closures with different results for the same statement.
        ///   - fetch: fetches a value.
        public func eventStream<Value: Encodable & Sendable>(
            of sql: String, _ arguments: StatementArguments = StatementArguments(), role: String? = nil,
            fetch: @escaping @Sendable () async throws -> Value
        ) -> EventStream {
            let encoder = StreamEncoder<Value>(.values(StreamJSON.encode))
            return eventStream(.statements([Statement(sql, arguments)]), role: role, encoder: encoder) {
                try await encoder.state(withResultOf: fetch)
            }
        }

        /// Returns the rows of a closure as events for clients of this server, as JSON and with patches: rows
        /// with equal ids are the same row.
        ///
        /// Equal statements share a stream while it is retained. Retain it, for example by
        /// ``/VigilEngine/EventStreams``, so that clients which connect again receive what they missed.
        ///
        /// - Parameters:
        ///   - sql: what the closure reads, as in ``values(of:_:role:bufferingPolicy:fetch:)``.
        ///   - arguments: the values of the arguments.
        ///   - role: a text that distinguishes closures with different results for the same statement.
        ///   - fetch: fetches the rows, in their order.
        public func eventStream<Row: Encodable & Identifiable & Equatable & Sendable>(
            of sql: String, _ arguments: StatementArguments = StatementArguments(), role: String? = nil,
            fetch: @escaping @Sendable () async throws -> [Row]
        ) -> EventStream {
            let encoder = StreamEncoder<ObservedList<Row>>(.list(StreamJSON.encode))
            return eventStream(.statements([Statement(sql, arguments)]), role: role, encoder: encoder) {
                try await encoder.state(withResultOf: {
                    ObservedList(identifiable: try await fetch())
                })
            }
        }

        private func eventStream<Content>(
            _ query: Query, role: String?, encoder: StreamEncoder<Content>,
            fetch: @escaping @Sendable () async throws -> StreamState
        ) -> EventStream {
            observation(of: StreamEncoder<Content>.self, query, role: role, fetch: fetch) { EventStream($0) }
        }

        // MARK: - Sharing

        /// Returns the object of a query that is in use, or makes it from an observation of the values of a
        /// closure.
        private func observation<Object: AnyObject & Sendable, Value: Sendable>(
            of type: Any.Type, _ query: Query, role: String?,
            fetch: @escaping @Sendable () async throws -> Value,
            _ make: (SharedValueObservation<Value>) -> Object
        ) -> Object {
            let key = Key(query: query, role: role.map(ExactString.init), type: ObjectIdentifier(type))
            let object = observed.withLock { observed in
                observed.value(for: key) {
                    make(
                        DatabaseRegionObservation(tracking: query.regions)
                            .fetching(in: dbPool) { [limiter] in try await limiter.run(fetch) })
                }
            }
            guard let object = object as? Object else { trap("the key has the type") }
            return object
        }
    }
#else
    /// Observes a PostgreSQL server for a program that reads it with a client of its own.
    @available(*, unavailable, message: "databases on servers need the trait PostgreSQL of the package Vigil")
    public final class PostgresObservations: Sendable {
        /// Throws an error.
        public init(_ server: String) throws {}
    }
#endif
