public import Foundation
package import VigilStorage

/// What a database, or the use of one, answers when it fails.
///
/// Catch it by code; see ``ResultCode`` for how codes match:
///
/// ```swift
/// do {
///     try dbQueue.write { db in try player.insert(db) }
/// } catch DatabaseError.SQLITE_CONSTRAINT {
///     // No such team, or the name is taken.
/// } catch let error as DatabaseError {
///     print(error)  // SQLite error 13: database or disk is full - while executing `INSERT …`
/// }
/// ```
public struct DatabaseError: Error, Sendable, ResultCodeNames {
    /// What went wrong, as precisely as the library told.
    public let extendedResultCode: ResultCode
    /// A sentence for people, without bound values.
    public let message: String?
    /// The text of the statement that failed, without the white space and the comments around it, and without the semicolon.
    public let sql: String?
    /// The values that were bound to ``sql``.
    ///
    /// They may be private, so ``description`` leaves them out unless the error was made with
    /// `publicStatementArguments`; ``expandedDescription`` has them.
    public let arguments: StatementArguments?
    let publicStatementArguments: Bool

    /// Makes an error, for example to be thrown from a custom SQL function or a transaction observer.
    ///
    /// - Parameters:
    ///   - resultCode: what went wrong, extended or not.
    ///   - message: a sentence for people; by default, what the code says.
    ///   - publicStatementArguments: whether ``description`` may show `arguments`.
    public init(
        resultCode: ResultCode = .SQLITE_ERROR, message: String? = nil, sql: String? = nil,
        arguments: StatementArguments? = nil, publicStatementArguments: Bool = false
    ) {
        extendedResultCode = resultCode
        self.message = message ?? resultCode.text
        self.sql = sql?.trimmedSQL
        self.arguments = arguments
        self.publicStatementArguments = publicStatementArguments
    }

    /// Makes the error that users see of one that a backend threw.
    ///
    /// - Parameter sql: the statement, if the backend did not tell it.
    package init(
        _ error: StorageError, sql: String? = nil, arguments: StatementArguments? = nil,
        publicStatementArguments: Bool = false
    ) {
        self.init(
            resultCode: ResultCode(rawValue: error.code.rawValue), message: error.message,
            sql: error.sql ?? sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments)
    }

    /// What went wrong, without the extension: the family of ``extendedResultCode``.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    /// Whether the access was interrupted or given up, rather than failed: the code is
    /// `SQLITE_INTERRUPT` or `SQLITE_ABORT`.
    public var isInterruptionError: Bool {
        resultCode == .SQLITE_INTERRUPT || resultCode == .SQLITE_ABORT
    }
}

extension DatabaseError: CustomStringConvertible {
    /// Code, message and SQL in one line; bound values only if they are public.
    ///
    /// For people, not for programs: the wording may change.
    public var description: String { describe(withArguments: publicStatementArguments) }

    /// ``description`` with the bound values, which may be private.
    public var expandedDescription: String { describe(withArguments: true) }

    private func describe(withArguments showsArguments: Bool) -> String {
        var text = "SQLite error \(resultCode.rawValue)"
        if let message { text += ": \(message)" }
        if let sql { text += " - while executing `\(sql.trimmedStatement)`" }
        if showsArguments, let arguments, !arguments.isEmpty { text += " with arguments \(arguments)" }
        return text
    }
}

extension DatabaseError: CustomNSError {
    /// `Vigil.DatabaseError`.
    public static var errorDomain: String { "Vigil.DatabaseError" }

    /// The number of ``extendedResultCode``.
    public var errorCode: Int { Int(extendedResultCode.rawValue) }

    /// ``description`` as the localized description, ``message`` as the failure reason.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        info[NSLocalizedFailureReasonErrorKey] = message
        return info
    }
}

extension String {
    /// SQL without the white space around it and the semicolons at its end.
    package var trimmedStatement: String {
        let isBlank = { (character: Character) in character.isWhitespace }
        var text = self[...].drop(while: isBlank)
        while let last = text.last, isBlank(last) || last == ";" { text.removeLast() }
        return String(text)
    }
}
