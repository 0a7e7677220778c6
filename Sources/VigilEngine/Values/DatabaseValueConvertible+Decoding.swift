package import VigilStorage

extension DatabaseValue {
    /// Which kind of value this is.
    package var kind: StorageValueKind {
        switch storageValue {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }
}

extension DatabaseValueConvertible {
    /// The value that is stored as `dbValue`.
    ///
    /// - Throws: ``RowDecodingError`` if there is none.
    package static func decode(
        _ dbValue: DatabaseValue, context: @autoclosure () -> RowDecodingError.Context
    ) throws -> Self {
        if let value = fromDatabaseValue(dbValue) { return value }
        throw RowDecodingError.valueMismatch(Self.self, kind: dbValue.kind, context())
    }
}

extension StatementColumnConvertible {
    /// The value that a cell holds.
    ///
    /// - Throws: ``RowDecodingError`` if there is none.
    package static func decode(
        cell: StorageCell, context: @autoclosure () -> RowDecodingError.Context
    ) throws -> Self {
        if let value = fromCell(cell) { return value }
        throw RowDecodingError.valueMismatch(Self.self, kind: cell.kind, context())
    }
}
