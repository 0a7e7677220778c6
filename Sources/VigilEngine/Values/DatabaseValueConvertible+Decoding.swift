package import VigilStorage

extension DatabaseValue {
    /// The kind of the value.
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
    /// Returns the value stored in `dbValue`.
    ///
    /// - Throws: ``RowDecodingError`` if it cannot be converted.
    package static func decode(
        _ dbValue: DatabaseValue, context: @autoclosure () -> RowDecodingError.Context
    ) throws -> Self {
        if let value = fromDatabaseValue(dbValue) { return value }
        throw RowDecodingError.valueMismatch(Self.self, kind: dbValue.kind, context())
    }
}

extension StatementColumnConvertible {
    /// Returns the value in a cell.
    ///
    /// - Throws: ``RowDecodingError`` if it cannot be converted.
    package static func decode(
        cell: StorageCell, context: @autoclosure () -> RowDecodingError.Context
    ) throws -> Self {
        if let value = fromCell(cell) { return value }
        throw RowDecodingError.valueMismatch(Self.self, kind: cell.kind, context())
    }
}
