import Dispatch
import Synchronization
import VigilStorage

/// Looks for commits by other connections and processes, when ``ForeignChangeMachine`` says so.
///
/// Each look is a short access of the connection: it compares the backend's token (1.5 µs with SQLite).
final class ForeignChangeWatcher: Sendable {
    private struct State {
        var machine = ForeignChangeMachine()
        var watch: (any StorageWatch)?
    }

    private let state = Mutex(State())
    private let access: ConnectionAccess

    init(backend: any StorageBackend, location: StorageLocation, access: ConnectionAccess) {
        self.access = access
        access.async { db in db.foreignChangeToken = try? db.connection.foreignChangeToken() }
        // Without a watch there is still the look now and then.
        let watch = try? backend.watchForeignChanges(of: location) { [weak self] in self?.didSign() }
        state.withLock { $0.watch = watch }
        didSign()
    }

    func stop() {
        let watch = state.withLock { state in
            state.machine.stop()
            defer { state.watch = nil }
            return state.watch
        }
        watch?.cancel()
    }

    private func didSign() {
        run(state.withLock { $0.machine.didSign() })
    }

    private func run(_ action: ForeignChangeMachine.Action?) {
        switch action {
        case .look:
            access.async { [weak self] db in self?.look(db) }
        case .pause(let duration, let number):
            access.queue.asyncAfter(deadline: .now() + duration.seconds) { [weak self] in
                guard let self else { return }
                run(state.withLock { $0.machine.pauseDidEnd(number) })
            }
        case nil: break
        }
    }

    private func look(_ db: Database) {
        let finding = db.lookForForeignChange()
        run(state.withLock { $0.machine.didLook(finding) })
        if finding == .changed { db.changes?.didCommitElsewhere(db) }
    }
}

extension Database {
    /// Compares the token with the one of the last look.
    fileprivate func lookForForeignChange() -> ForeignChangeMachine.Finding {
        guard !isClosed, let token = try? connection.foreignChangeToken() else { return .unknown }
        defer { foreignChangeToken = token }
        guard token != foreignChangeToken else { return .unchanged }
        schemaDidChange()
        return .changed
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
