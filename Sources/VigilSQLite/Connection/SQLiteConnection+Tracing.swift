import CVigilSQLite
package import VigilStorage

extension SQLiteConnection {
    package func trace(_ events: StorageTraceEvents, _ receiver: ((StorageTraceEvent) -> Void)?) {
        guard let handle else { return }
        guard let receiver, !events.isEmpty else {
            _ = api.pointee.trace_v2(handle, 0, nil, nil)
            tracer = nil
            return
        }
        let tracer = StatementTracer(api: api, events: events, receiver: receiver)
        tracer.connection = self
        install(tracer, on: handle)
        // Release the previous tracer only now: the library no longer uses it.
        self.tracer = tracer
    }

    private func install(_ tracer: StatementTracer, on handle: OpaquePointer) {
        _ = api.pointee.trace_v2(
            handle, tracer.events.rawValue,
            { event, context, statement, detail in
                guard let context, let statement else { return 0 }
                Unmanaged<StatementTracer>.fromOpaque(context).takeUnretainedValue()
                    .forward(
                        StorageTraceEvents(rawValue: event), of: OpaquePointer(statement), detail: detail)
                return 0
            }, Unmanaged.passUnretained(tracer).toOpaque())
    }
}

extension SQLiteConnection {
    /// Runs `body` without trace events of the library, and reports it as one statement.
    func withoutTracing<T>(_ handle: OpaquePointer, reports: Bool, _ body: () -> T) -> T {
        guard let tracer, let database = self.handle else { return body() }
        let text = api.pointee.sql(handle)
        if reports, tracer.events.contains(.statement) {
            tracer.forward(
                .statement, of: handle, detail: text.map { UnsafeMutableRawPointer(mutating: $0) })
        }
        _ = api.pointee.trace_v2(database, 0, nil, nil)
        let start = ContinuousClock.now
        let result = body()
        install(tracer, on: database)
        if reports, tracer.events.contains(.profile) {
            var nanoseconds = Int64((ContinuousClock.now - start) / .nanoseconds(1))
            tracer.forward(.profile, of: handle, detail: &nanoseconds)
        }
        return result
    }
}

extension SQLiteConnection {
    package var statementTexts: [String] {
        statementHandles.map { api.pointee.sql($0).map { String(cString: $0).withoutKeys } ?? "" }
    }
}

/// Forwards the library's trace events. The connection retains it while the library uses it.
final class StatementTracer {
    // Safe: the connection owns the tracer, and the library uses it only for statements of the connection.
    unowned(unsafe) var connection: SQLiteConnection?
    private let api: UnsafePointer<vigil_sqlite_api>
    let events: StorageTraceEvents
    private let receiver: (StorageTraceEvent) -> Void

    init(
        api: UnsafePointer<vigil_sqlite_api>, events: StorageTraceEvents,
        receiver: @escaping (StorageTraceEvent) -> Void
    ) {
        self.api = api
        self.events = events
        self.receiver = receiver
    }

    fileprivate func forward(
        _ event: StorageTraceEvents, of handle: OpaquePointer, detail: UnsafeMutableRawPointer?
    ) {
        guard connection?.runsInternalStatement != true, let detail else { return }
        switch event {
        case .statement:
            // The text of the statement, or a comment with the name of a trigger.
            let text = String(cString: detail.assumingMemoryBound(to: CChar.self))
            if text.hasPrefix("-- "), text.contains(RowImagePlan.functionName) { return }
            let statement = SQLiteTracedStatement(api: api, handle: handle, sql: text)
            receiver(.statement(statement))
            statement.end()
        case .profile:
            let nanoseconds = detail.assumingMemoryBound(to: Int64.self).pointee
            let text = api.pointee.sql(handle).map { String(cString: $0) } ?? ""
            let statement = SQLiteTracedStatement(api: api, handle: handle, sql: text)
            receiver(.profile(statement, duration: .nanoseconds(nanoseconds)))
            statement.end()
        default: break
        }
    }
}

private final class SQLiteTracedStatement: TracedStatement {
    let sql: String
    private let api: UnsafePointer<vigil_sqlite_api>
    /// The library's handle; `nil` once the receiver has returned: the statement may then be deleted.
    private var handle: OpaquePointer?

    init(api: UnsafePointer<vigil_sqlite_api>, handle: OpaquePointer, sql: String) {
        self.api = api
        self.handle = handle
        self.sql = sql.withoutKeys
    }

    func end() { handle = nil }

    var expandedSQL: String {
        guard let handle, !sql.hasPrefix("--"), let text = api.pointee.expanded_sql(handle) else {
            return sql
        }
        defer { api.pointee.free(text) }
        return String(cString: text).withoutKeys
    }
}
