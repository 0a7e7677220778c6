import Foundation
import VigilStorage

extension Database {
    /// Reports the statements that this connection runs, in place of an earlier closure; `nil` ends that.
    ///
    /// ```swift
    /// configuration.prepareDatabase { db in
    ///     db.trace { event in logger.debug("\(event)") }
    /// }
    /// ```
    ///
    /// The closure runs in the middle of a statement, on the connection's thread: it must not use the database. What
    /// Vigil asks for itself, such as the columns of a table, is not reported. Does nothing for backends that cannot tell.
    public func trace(
        options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil
    ) {
        guard let connection = connection as? any StatementTracing else { return }
        guard let trace else { return connection.trace([], nil) }
        let isPublic = configuration.publicStatementArguments
        connection.trace(StorageTraceEvents(rawValue: UInt32(bitPattern: options.rawValue))) { event in
            switch event {
            case .statement(let traced):
                trace(.statement(.init(traced: traced, publicStatementArguments: isPublic)))
            case .profile(let traced, let duration):
                let seconds =
                    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
                trace(
                    .profile(
                        statement: .init(traced: traced, publicStatementArguments: isPublic),
                        duration: seconds))
            }
        }
    }
}
