import VigilEngine
import VigilRegions
import VigilStorage

/// The condition that links rows of two tables.
enum AssociationCondition: Sendable {
    case foreignKey(ForeignKeyCondition)
    /// An expression of the two tables; `nil` if all their rows are linked.
    case expression(@Sendable (_ left: TableAliasBase, _ right: TableAliasBase) -> SQLExpression?)

    /// Returns the condition with the tables exchanged.
    ///
    /// - Parameter destinationTable: The left table of this condition.
    func reversed(to destinationTable: String) -> AssociationCondition {
        switch self {
        case .foreignKey(let condition): .foreignKey(condition.reversed(to: destinationTable))
        case .expression(let condition): .expression { condition($1, $0) }
        }
    }

    var isForeignKey: Bool { if case .foreignKey = self { true } else { false } }

    /// Whether a row of the right table is linked to at most one row of the left table.
    var isToOneReversed: Bool {
        if case .foreignKey(let condition) = self { !condition.isLeftOrigin } else { false }
    }

    /// Returns the common condition of two definitions of one key; `nil` if they differ.
    func merged(with other: AssociationCondition) -> AssociationCondition? {
        switch (self, other) {
        case (.foreignKey(let condition), .foreignKey(let otherCondition)):
            condition == otherCondition ? self : nil
        // Closures are incomparable.
        case (.expression, .expression): other
        case (.foreignKey, .expression), (.expression, .foreignKey): nil
        }
    }

    /// Returns the condition of a join; `nil` if all rows are linked.
    func expression(
        _ db: Database, left: (table: String, alias: TableAliasBase), right: TableAliasBase
    ) throws -> SQLExpression? {
        switch self {
        case .expression(let condition): condition(left.alias, right)
        case .foreignKey(let condition):
            .chain(
                .and,
                try condition.columns(db, from: left.table).map { pair in
                    .equality(
                        .equal, of: SQLExpression(.columnOf(right, pair.right)),
                        and: SQLExpression(.columnOf(left.alias, pair.left)))
                })
        }
    }
}

/// A pair of columns compared by a join, one of the left table and one of the right table.
struct JoinedColumns {
    var left: String
    var right: String
}

/// A link between two rows by a foreign key.
struct ForeignKeyCondition: Equatable, Sendable {
    /// The right table.
    var destinationTable: String
    /// The columns; `nil` to look them up in the schema.
    var foreignKey: ForeignKey?
    /// Whether the left table refers to the right one.
    var isLeftOrigin: Bool

    func reversed(to destinationTable: String) -> ForeignKeyCondition {
        ForeignKeyCondition(
            destinationTable: destinationTable, foreignKey: foreignKey, isLeftOrigin: !isLeftOrigin)
    }

    /// Returns the columns compared by the condition.
    ///
    /// - Parameter table: The left table.
    /// - Throws: `DatabaseError` if a table does not exist, or if the columns are neither given nor
    ///   determined by the schema.
    func columns(_ db: Database, from table: String) throws -> [JoinedColumns] {
        let (origin, destination) =
            isLeftOrigin ? (table, destinationTable) : (destinationTable, table)
        let pairs = try db.withoutRecording {
            try ForeignKeyLookup(origin: origin, destination: destination, key: foreignKey).pairs(db)
        }
        return pairs.map {
            isLeftOrigin
                ? JoinedColumns(left: $0.origin, right: $0.destination)
                : JoinedColumns(left: $0.destination, right: $0.origin)
        }
    }
}

/// Finds the columns of a foreign key between two tables.
private struct ForeignKeyLookup {
    typealias Pair = (origin: String, destination: String)

    let origin: String
    let destination: String
    let key: ForeignKey?

    func pairs(_ db: Database) throws -> [Pair] {
        if let key, let destinationColumns = key.destinationColumns {
            return try pairs(key.originColumns, destinationColumns)
        }
        let table = try existingTable(origin, db)
        if table.isTable {
            let candidates = try db.foreignKeys(on: origin).filter(isCandidate)
            guard candidates.count < 2 else {
                throw unknown("the schema has several foreign keys between these tables")
            }
            if let candidate = candidates.first { return candidate.mapping }
        }
        guard let key else { throw unknown("the schema has no foreign key between these tables") }
        let primaryKey = try existingTable(destination, db).primaryKeyColumns()
        return try pairs(key.originColumns, primaryKey)
    }

    private func isCandidate(_ candidate: ForeignKeyInfo) -> Bool {
        guard candidate.destinationTable.isSameName(as: destination) else { return false }
        guard let key else { return true }
        return Set(candidate.originColumns.map { ColumnName($0) })
            == Set(key.originColumns.map { ColumnName($0) })
    }

    private func existingTable(_ name: String, _ db: Database) throws -> QueryTable {
        let table = try QueryTable.named(name, db)
        guard table.metadata != nil || table.isTableExpression else { throw DatabaseError.noSuchTable(name) }
        return table
    }

    private func pairs(_ originColumns: [String], _ destinationColumns: [String]) throws -> [Pair] {
        guard originColumns.count == destinationColumns.count else {
            throw unknown("the tables have different numbers of columns in the key")
        }
        return zip(originColumns, destinationColumns).map { (origin: $0, destination: $1) }
    }

    private func unknown(_ reason: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                the columns of the association from table \(origin) to table \(destination) are unknown: \(reason); \
                define the association with a ForeignKey that names the columns of both tables
                """)
    }
}
