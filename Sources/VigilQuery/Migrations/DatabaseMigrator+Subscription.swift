package import VigilEngine

extension DatabaseMigrator {
    /// Returns a subscription to the end of a migration.
    ///
    /// Once requested, the migration takes place even if the subscription is cancelled.
    package func migrationSubscription(
        of writer: any DatabaseWriter, deliveringOn execute: @escaping AccessSubscription<Void>.Executor,
        onValue: @escaping @Sendable (()) -> Void, onEnd: @escaping @Sendable ((any Error)?) -> Void
    ) -> AccessSubscription<Void> {
        AccessSubscription(deliveringOn: execute, onValue: onValue, onEnd: onEnd) { subscription in
            asyncMigrate(writer) { result in subscription.complete(with: result.map { _ in }) }
        }
    }
}
