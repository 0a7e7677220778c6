public import Foundation
public import VigilStorage

/// An error reported by a database, or caused by its incorrect use.
///
/// Catch errors by their code; see ``ResultCode`` for the matching rules:
///
/// ```swift
/// do {
///     try dbQueue.write { db in try player.insert(db) }
/// } catch DatabaseError.SQLITE_CONSTRAINT {
///     // The team does not exist, or the name is taken.
/// } catch let error as DatabaseError {
///     print(error)  // SQLite error 13: database or disk is full - while executing `INSERT …`
/// }
/// ```
///
/// Throw your own errors from custom SQL functions and transaction observers:
///
/// ```swift
/// throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "the team is full")
/// ```
public struct DatabaseError: Error, Sendable, ResultCodeNames {
    /// The result code, as precise as the library reported it.
    public let extendedResultCode: ResultCode
    /// A description of the error, without bound values.
    public let message: String?
    /// The text of the failed statement, without surrounding white space and comments, and without the
    /// semicolon.
    public let sql: String?
    /// The values bound to ``sql``.
    ///
    /// They may be private: ``description`` contains them only if the error was created with
    /// `publicStatementArguments`. ``expandedDescription`` always contains them.
    public let arguments: StatementArguments?
    let publicStatementArguments: Bool
    /// The code of the error in the SQL standard or on the server, such as `23505`; `nil` for SQLite.
    public private(set) var sqlState: String?
    /// Further information of a server about the error, such as a hint and the violated constraint; `nil` for
    /// SQLite. It contains no values.
    public private(set) var diagnostics: StorageDiagnostics?
    /// Whether the same access can succeed later: the connection was lost, or the backend says so.
    private(set) var isTransient = false
    /// The name of the database system in ``description``: the one of the running access, or SQLite.
    private var systemName: String
    /// The remedy in ``debugDescription``.
    private var advice: String?

    /// Creates an error.
    ///
    /// If `sql` sets the key of an encrypted database, such as `ATTACH … KEY`, the key is removed from it and
    /// from `message`, and `arguments` are ignored.
    ///
    /// - Parameters:
    ///   - resultCode: the primary or extended result code.
    ///   - message: a description of the error. If `nil`, the description of the code.
    ///   - sql: the failed SQL.
    ///   - arguments: the values bound to `sql`.
    ///   - publicStatementArguments: whether ``description`` may contain `arguments`.
    public init(
        resultCode: ResultCode = .SQLITE_ERROR, message: String? = nil, sql: String? = nil,
        arguments: StatementArguments? = nil, publicStatementArguments: Bool = false
    ) {
        extendedResultCode = resultCode
        let message = message ?? resultCode.text
        self.message = sql.map { message.withoutKeys(of: $0) } ?? message
        self.sql = sql?.withoutKeys.trimmedSQL
        self.arguments = sql?.namesKeys == true ? nil : arguments
        self.publicStatementArguments = publicStatementArguments
        systemName = ConnectionAccess.currentDatabase?.dialect.systemName ?? SQLDialect.sqlite.systemName
    }

    /// Creates the public error for an error of a backend.
    ///
    /// - Parameter sql: the SQL of the statement, unless the backend reported it.
    package init(
        _ error: StorageError, sql: String? = nil, arguments: StatementArguments? = nil,
        publicStatementArguments: Bool = false
    ) {
        self.init(
            resultCode: ResultCode(rawValue: error.code.rawValue), message: error.message,
            sql: error.sql ?? sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments)
        sqlState = error.sqlState
        isTransient = error.isTransient || error.code == .connectionLost
        diagnostics = error.diagnostics
        if let name = error.systemName { systemName = name }
    }

    /// Returns the error with the name of its database system, for errors outside of accesses.
    func of(_ dialect: SQLDialect) -> DatabaseError {
        var error = self
        error.systemName = dialect.systemName
        return error
    }

    /// The error, marked as transient: fetches of observations are repeated.
    var transient: DatabaseError {
        var error = self
        error.isTransient = true
        return error
    }

    /// Returns the error with a remedy in its ``debugDescription``. The ``message`` and ``description`` that
    /// programs compare remain the same.
    package func advising(_ advice: String) -> DatabaseError {
        var error = self
        error.advice = advice
        return error
    }

    /// The primary result code: the family of ``extendedResultCode``.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    /// Whether the access was interrupted or aborted: the code is `SQLITE_INTERRUPT` or `SQLITE_ABORT`.
    public var isInterruptionError: Bool {
        resultCode == .SQLITE_INTERRUPT || resultCode == .SQLITE_ABORT
    }
}

extension Error {
    /// Whether the same access can succeed later. Fetches of observations are repeated after such an error.
    var isTransient: Bool { (self as? DatabaseError)?.isTransient ?? false }
}

extension DatabaseError {
    /// Whether a transaction failed because of another one, and can succeed if it is run again: it could not
    /// be serialized, or was chosen to end a deadlock. Servers report this by class 40 of the SQL standard.
    var isConflict: Bool { resultCode == .SQLITE_BUSY && sqlState?.hasPrefix("40") == true }

    /// Whether a statement may have failed because another connection has changed the columns of its table
    /// since it was prepared.
    var mayBeOutdatedStatement: Bool { sqlState == "0A000" }
}

extension DatabaseError: CustomStringConvertible {
    /// The database system, its code, the message and the SQL in one line, with bound values only if they are
    /// public.
    ///
    /// The code is the primary result code for SQLite, and otherwise the ``sqlState``, if the system reported
    /// one.
    ///
    /// Do not parse it: the wording may change.
    public var description: String { describe(withArguments: publicStatementArguments) }

    /// The ``description`` with bound, possibly private values.
    public var expandedDescription: String { describe(withArguments: true) }

    private func describe(withArguments showsArguments: Bool, advice: String? = nil) -> String {
        let isSQLite = systemName == SQLDialect.sqlite.systemName
        let code = sqlState ?? (isSQLite ? "\(resultCode.rawValue)" : nil)
        var text = "\(systemName) error" + (code.map { " \($0)" } ?? "")
        if let message { text += ": \(message)" }
        if let advice = advice ?? diagnostics?.hint { text += " (\(advice))" }
        if let sql = sql?.trimmedStatement, !sql.isEmpty { text += " - while executing `\(sql)`" }
        if showsArguments, let arguments, !arguments.isEmpty { text += " with arguments \(arguments)" }
        return text
    }
}

extension DatabaseError: CustomDebugStringConvertible {
    /// The ``description``, with a remedy if one is known.
    ///
    /// Debuggers and uncaught errors print it, and the log of observations.
    public var debugDescription: String { describe(withArguments: publicStatementArguments, advice: advice) }
}

extension DatabaseError: CustomNSError {
    /// The error domain: `Vigil.DatabaseError`.
    public static var errorDomain: String { "Vigil.DatabaseError" }

    /// The raw value of ``extendedResultCode``.
    public var errorCode: Int { Int(extendedResultCode.rawValue) }

    /// The ``description`` as localized description, the ``message`` as failure reason, and a remedy as
    /// recovery suggestion, if one is known.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        info[NSLocalizedFailureReasonErrorKey] = message
        info[NSLocalizedRecoverySuggestionErrorKey] = advice
        return info
    }
}

extension String {
    /// The SQL without surrounding white space and trailing semicolons.
    package var trimmedStatement: String {
        let isBlank = { (character: Character) in character.isWhitespace }
        var text = self[...].drop(while: isBlank)
        while let last = text.last, isBlank(last) || last == ";" { text.removeLast() }
        return String(text)
    }
}
