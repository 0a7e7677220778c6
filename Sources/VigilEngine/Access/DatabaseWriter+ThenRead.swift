import Synchronization

extension DatabaseWriter {
    /// Runs `updates` in a transaction, then runs `value` with the committed state, and returns the result of
    /// `value`.
    ///
    /// ```swift
    /// let count = try await dbPool.write { db in
    ///     try player.insert(db)
    /// } thenRead: { db, _ in
    ///     try Player.fetchCount(db)
    /// }
    /// ```
    ///
    /// On a ``DatabasePool``, `value` runs on a reader while other writes run. It does not see their changes.
    /// On a ``DatabaseQueue``, it runs before any other write.
    ///
    /// - Parameters:
    ///   - updates: Runs statements. The transaction is committed when it returns, and rolled back when it
    ///     throws or when the task is cancelled before the commit.
    ///   - value: Reads from the database, with the result of `updates`. It does not run if `updates` fails.
    /// - Throws: The error of `updates` or `value`; `CancellationError` if the task is cancelled before the
    ///   commit, or, on a ``DatabaseQueue``, while `value` runs; `DatabaseError` if `value` writes, if the
    ///   transaction cannot begin or be committed, or if the database is closed. The updates remain committed
    ///   if only `value` fails.
    public func write<T: Sendable, Value: Sendable>(
        updates: @Sendable (Database) throws -> T,
        thenRead value: @escaping @Sendable (Database, T) throws -> Value
    ) async throws -> Value {
        let outcome = FutureResult<Value>()
        try await writeWithoutTransaction { db in
            let updated = try db.committing(isRepeatable: true, updates)
            spawnConcurrentRead { read in outcome.resolve(Result { try value(read.get(), updated) }) }
        }
        return try await outcome.value
    }

    /// Schedules `updates` in a transaction, and `value` with the committed state, and returns immediately.
    /// See ``write(updates:thenRead:)``.
    ///
    /// - Parameters:
    ///   - updates: Runs statements. The transaction is committed when it returns, and rolled back when it
    ///     throws.
    ///   - value: Reads from the database, with the result of `updates`. It does not run if `updates` fails.
    ///   - completion: Called once with the result, on the dispatch queue of a connection.
    package func asyncWrite<T: Sendable, Value: Sendable>(
        updates: @escaping @Sendable (Database) throws -> T,
        thenRead value: @escaping @Sendable (Database, T) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        asyncWriteWithoutTransaction { db in
            do {
                let updated = try db.committing(isRepeatable: true, updates)
                self.spawnConcurrentRead { read in completion(Result { try value(read.get(), updated) }) }
            } catch {
                completion(.failure(error))
            }
        }
    }
}

/// A future result for one task.
private final class FutureResult<Value: Sendable>: Sendable {
    private enum State {
        case unresolved
        case awaited(CheckedContinuation<Value, any Error>)
        case resolved(Result<Value, any Error>)
    }

    private let state = Mutex(State.unresolved)

    func resolve(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            if case .awaited(let continuation) = state { return continuation }
            state = .resolved(result)
            return nil
        }
        continuation?.resume(with: result)
    }

    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    if case .resolved(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        }
    }
}
