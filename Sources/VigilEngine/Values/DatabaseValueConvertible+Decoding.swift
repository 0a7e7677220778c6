package import VigilStorage

extension DatabaseValue {
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
    /// Returns the value stored in `dbValue`. Throws ``RowDecodingError`` if it cannot be converted.
    package static func decode(
        _ dbValue: DatabaseValue, context: @autoclosure () -> RowDecodingError.Context
    ) throws -> Self {
        if let value = fromDatabaseValue(dbValue) { return value }
        throw RowDecodingError.valueMismatch(Self.self, kind: dbValue.kind, context())
    }

    /// Returns the value in a cell.
    ///
    /// - Throws: ``RowDecodingError`` if it cannot be converted.
    package static func decode(
        cell: StorageCell, context: @autoclosure () -> RowDecodingError.Context
    ) throws -> Self {
        // A number with more digits than a real number: a `DatabaseValue` has only its text.
        if cell.roundedNumber != nil, let direct = Self.self as? any StatementColumnConvertible.Type,
            let value = direct.fromCell(cell) as? Self
        {
            return value
        }
        return try decode(DatabaseValue(copying: cell), context: context())
    }
}
