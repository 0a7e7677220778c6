import Vigil

/// Decides whether the database is opened again after an error.
struct ReopeningProgress {
    enum Action: Equatable {
        case end
        /// The note for the user is `nil` if the error is the same as the previous one.
        case tryAgain(note: String?)
    }

    private let retries: Bool
    /// Whether an error has made the database reopen, and no result has been fetched since.
    private var isReopening = false
    private var lastNote: String?

    init(retries: Bool) {
        self.retries = retries
    }

    /// Handles an error at the start of the observation, or at its end.
    mutating func didFail(_ error: any Error) -> Action {
        guard retries, isReopening || Self.reopeningMayHelp(after: error) else { return .end }
        isReopening = true
        let note = "waiting for the database: \(Failure.text(of: error))"
        defer { lastNote = note }
        return .tryAgain(note: note == lastNote ? nil : note)
    }

    mutating func didRead() {
        isReopening = false
        lastNote = nil
    }

    /// Returns whether opening the database again may help after an error, because the file was replaced, or
    /// because another program may recover the database.
    private static func reopeningMayHelp(after error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        switch error.extendedResultCode {
        case .SQLITE_READONLY_DBMOVED, .SQLITE_READONLY_ROLLBACK, .SQLITE_READONLY_RECOVERY,
            .SQLITE_READONLY_CANTINIT:
            return true
        default: return false
        }
    }
}
