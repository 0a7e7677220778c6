package import VigilStorage

/// A column that cannot be decoded as the requested type, or that does not exist.
///
/// The error contains the kind of the value. It contains the value itself only with
/// ``Configuration/publicStatementArguments``, because it may be private:
///
/// ```
/// could not decode Int from a text value - column: "score", column index: 2, sql: `SELECT …`
/// ```
public struct RowDecodingError: Error, Sendable {
    package enum Reason: Sendable, Hashable {
        /// The value cannot be converted to the type.
        case valueMismatch(type: String, kind: StorageValueKind)
        /// The column does not exist.
        case columnNotFound(String)
        /// The scope, or the prefetched rows of the key, do not exist.
        case keyNotFound(String)
    }

    /// The location of the error, as far as it is known.
    package struct Context: Sendable {
        package var columnName: String?
        package var columnIndex: Int?
        /// The value, if the description may contain it.
        package var value: String?
        package var sql: String?
        package var arguments: StatementArguments?
        /// Whether the description may contain ``arguments``.
        package var publicStatementArguments: Bool

        package init(
            columnName: String? = nil, columnIndex: Int? = nil, value: String? = nil, sql: String? = nil,
            arguments: StatementArguments? = nil, publicStatementArguments: Bool = false
        ) {
            self.columnName = columnName
            self.columnIndex = columnIndex
            self.value = value
            self.sql = sql
            self.arguments = arguments
            self.publicStatementArguments = publicStatementArguments
        }
    }

    package let reason: Reason
    package let context: Context

    package init(_ reason: Reason, _ context: Context = Context()) {
        self.reason = reason
        self.context = context
    }

    /// Creates the error for a value that cannot be converted to `type`.
    package static func valueMismatch(
        _ type: Any.Type, kind: StorageValueKind, _ context: Context
    ) -> RowDecodingError {
        RowDecodingError(.valueMismatch(type: "\(type)", kind: kind), context)
    }
}

extension RowDecodingError: CustomStringConvertible {
    /// The reason, the column, and the SQL, with the value and bound values only if they are public.
    ///
    /// Do not parse it: the wording may change.
    public var description: String {
        var details: [String] = []
        if let name = context.columnName { details.append("column: \(String(reflecting: name))") }
        if let index = context.columnIndex { details.append("column index: \(index)") }
        if let value = context.value { details.append("value: \(value)") }
        if let sql = context.sql { details.append("sql: `\(sql.trimmedStatement)`") }
        if context.publicStatementArguments, let arguments = context.arguments, !arguments.isEmpty {
            details.append("arguments: \(arguments)")
        }
        return details.isEmpty ? reason.text : "\(reason.text) - \(details.joined(separator: ", "))"
    }
}

extension RowDecodingError.Reason {
    fileprivate var text: String {
        switch self {
        case .valueMismatch(let type, .null): "could not decode \(type) from NULL"
        case .valueMismatch(let type, let kind): "could not decode \(type) from \(kind.article) \(kind) value"
        case .columnNotFound(let name): "column not found: \(String(reflecting: name))"
        case .keyNotFound(let key): "key not found: \(String(reflecting: key))"
        }
    }
}

extension StorageValueKind {
    fileprivate var article: String { self == .integer ? "an" : "a" }
}
