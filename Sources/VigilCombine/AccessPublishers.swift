#if canImport(Combine) || OpenCombine
    public import Dispatch
    public import Vigil

    #if canImport(Combine)
        public import Combine
    #else
        @preconcurrency public import OpenCombine
        import OpenCombineDispatch
    #endif

    /// Creates the subscriptions of a publisher with one access per subscriber.
    struct AccessSource<Output>: Sendable {
        private let execute: AccessSubscription<Output>.Executor
        private let begin: AccessSubscription<Output>.Begin

        /// Publishes on a scheduler.
        init(_ scheduler: any Scheduler, _ begin: @escaping AccessSubscription<Output>.Begin) {
            let scheduler = UncheckedSendable(scheduler)
            execute = { action in scheduler.value.schedule(action) }
            self.begin = begin
        }

        func subscribe(_ subscriber: any Subscriber<Output, any Error>) {
            let receiver = UncheckedSendable(subscriber)
            let source = AccessSubscription<Output>(
                deliveringOn: execute,
                onValue: { value in _ = receiver.value.receive(value) },
                onEnd: { error in
                    receiver.value.receive(completion: error.map { .failure($0) } ?? .finished)
                }, begin: begin)
            subscriber.receive(subscription: DatabaseSubscription(source))
        }
    }

    extension DatabasePublishers {
        /// A publisher of one value from a database. See `DatabaseReader.readPublisher`.
        public struct Read<Output>: Publisher, Sendable {
            /// The error of the read.
            public typealias Failure = any Error

            let source: AccessSource<Output>

            /// Reads for a subscriber, when it requests the value.
            public func receive<S>(subscriber: S)
            where S: Subscriber, S.Failure == any Error, S.Input == Output {
                source.subscribe(subscriber)
            }
        }

        /// A publisher of the result of a write. See `DatabaseWriter.writePublisher`.
        public struct Write<Output>: Publisher, Sendable {
            /// The error of the write, or of the following read.
            public typealias Failure = any Error

            let source: AccessSource<Output>

            /// Writes for a subscriber, when it requests the result.
            public func receive<S>(subscriber: S)
            where S: Subscriber, S.Failure == any Error, S.Input == Output {
                source.subscribe(subscriber)
            }
        }

        /// A publisher of the migration of a database. See `DatabaseMigrator.migratePublisher`.
        public struct Migrate: Publisher, Sendable {
            /// An empty value, published after the last migration.
            public typealias Output = Void
            /// The error of a migration.
            public typealias Failure = any Error

            let source: AccessSource<Void>

            /// Migrates for a subscriber, when it requests the result.
            public func receive<S>(subscriber: S)
            where S: Subscriber, S.Failure == any Error, S.Input == Void {
                source.subscribe(subscriber)
            }
        }
    }

    extension DatabaseReader {
        /// Returns a publisher that reads a value, publishes it, and finishes.
        ///
        /// ```swift
        /// let players = dbPool.readPublisher { db in
        ///     try Player.fetchAll(db)
        /// }
        /// ```
        ///
        /// Each subscription reads once, in a read-only transaction, when the subscriber requests the value.
        /// A subscription cancelled before the read begins does not read.
        ///
        /// - Parameters:
        ///   - scheduler: The scheduler of the value and the completion.
        ///   - value: Reads the value. If it throws, the publisher fails.
        public func readPublisher<Output>(
            receiveOn scheduler: some Scheduler = DispatchQueue.main,
            value: @escaping @Sendable (Database) throws -> Output
        ) -> DatabasePublishers.Read<Output> {
            DatabasePublishers.Read(source: AccessSource(scheduler, readForSubscription(value: value)))
        }
    }

    extension DatabaseWriter {
        /// Returns a publisher that writes in a transaction, publishes the result, and finishes.
        ///
        /// ```swift
        /// let count = dbPool.writePublisher { db in
        ///     try Player(id: 1, name: "Arthur", score: 100).insert(db)
        ///     return try Player.fetchCount(db)
        /// }
        /// ```
        ///
        /// Each subscription writes once, when the subscriber requests the result. A requested write takes
        /// place even if the subscription is cancelled.
        ///
        /// - Parameters:
        ///   - scheduler: The scheduler of the result and the completion.
        ///   - updates: Writes. If it throws, the transaction is rolled back, and the publisher fails with
        ///     the error.
        public func writePublisher<Output>(
            receiveOn scheduler: some Scheduler = DispatchQueue.main,
            updates: @escaping @Sendable (Database) throws -> Output
        ) -> DatabasePublishers.Write<Output> {
            DatabasePublishers.Write(source: AccessSource(scheduler, writeForSubscription(updates: updates)))
        }

        /// Returns a publisher that writes in a transaction, then reads, publishes the value, and finishes.
        ///
        /// The read sees the database as the write has left it. In a `DatabasePool`, it runs concurrently
        /// with later writes.
        ///
        /// ```swift
        /// let count = dbPool.writePublisher(
        ///     updates: { db in try Player(id: 1, name: "Arthur", score: 100).insert(db) },
        ///     thenRead: { db, _ in try Player.fetchCount(db) })
        /// ```
        ///
        /// Each subscription writes once, when the subscriber requests the value. A requested write takes
        /// place even if the subscription is cancelled.
        ///
        /// - Parameters:
        ///   - scheduler: The scheduler of the value and the completion.
        ///   - updates: Writes. If it throws, the transaction is rolled back, and the publisher fails with
        ///     the error.
        ///   - value: Reads the value, from the result of `updates`. If it throws, the publisher fails, and
        ///     the write is not rolled back.
        public func writePublisher<T: Sendable, Output>(
            receiveOn scheduler: some Scheduler = DispatchQueue.main,
            updates: @escaping @Sendable (Database) throws -> T,
            thenRead value: @escaping @Sendable (Database, T) throws -> Output
        ) -> DatabasePublishers.Write<Output> {
            DatabasePublishers.Write(
                source: AccessSource(scheduler, writeForSubscription(updates: updates, thenRead: value)))
        }
    }

    extension DatabaseMigrator {
        /// Returns a publisher that migrates a database, publishes an empty value, and finishes.
        ///
        /// ```swift
        /// let migration = migrator.migratePublisher(dbPool)
        /// ```
        ///
        /// Each subscription migrates once, when the subscriber requests the result. A requested migration
        /// takes place even if the subscription is cancelled.
        public func migratePublisher(
            _ writer: any DatabaseWriter, receiveOn scheduler: some Scheduler = DispatchQueue.main
        ) -> DatabasePublishers.Migrate {
            DatabasePublishers.Migrate(source: AccessSource(scheduler, migrateForSubscription(writer)))
        }
    }
#endif
