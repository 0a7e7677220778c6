import Vigil

/// Decides after an error whether the database is opened again.
struct ReopeningProgress {
    enum Action: Equatable {
        case end
        /// The note is for the user; `nil` if the error is the same as before.
        case tryAgain(note: String?)
    }

    private let retries: Bool
    /// Whether the database was to be opened again, and nothing was read since.
    private var isReopening = false
    private var lastNote: String?

    init(retries: Bool) {
        self.retries = retries
    }

    /// Call with each error that ended the observation, or prevented it.
    mutating func didFail(_ error: any Error) -> Action {
        guard retries, isReopening || Self.calls(forReopening: error) else { return .end }
        isReopening = true
        let note = "waiting for the database: \(Failure.text(of: error))"
        defer { lastNote = note }
        return .tryAgain(note: note == lastNote ? nil : note)
    }

    /// Call with each result.
    mutating func didRead() {
        isReopening = false
        lastNote = nil
    }

    /// Whether another file may be there, or the database may be readable again after another program recovered it.
    private static func calls(forReopening error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        switch error.extendedResultCode {
        case .SQLITE_READONLY_DBMOVED, .SQLITE_READONLY_ROLLBACK, .SQLITE_READONLY_RECOVERY: return true
        default: return false
        }
    }
}
