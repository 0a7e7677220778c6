import Foundation
import VigilStorage

extension Database {
    /// Registers a closure for the statements run by this connection. It replaces an earlier closure; `nil`
    /// ends tracing.
    ///
    /// ```swift
    /// configuration.prepareDatabase { db in
    ///     db.trace { event in logger.debug("\(event)") }
    /// }
    /// ```
    ///
    /// The closure is called on the connection's thread, while a statement is running: it must not use the
    /// database. Vigil's own queries, such as schema reads, are not reported. Has no effect if the backend
    /// does not support tracing.
    public func trace(
        options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil
    ) {
        guard let embedded else { return }
        guard let trace else { return embedded.trace([], nil) }
        let isPublic = configuration.publicStatementArguments
        embedded.trace(StorageTraceEvents(rawValue: UInt32(bitPattern: options.rawValue))) { event in
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
