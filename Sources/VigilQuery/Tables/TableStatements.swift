import VigilEngine
import VigilStorage

/// The statements to create a table and its indexes. Referenced primary keys are looked up in the schema.
struct TableStatements {
    private let db: Database
    private let definition: TableDefinition
    private let options: TableOptions
    private let ownKey: ReferencedKey
    private var columns: [SQL] = []
    private var foreignKeys: [SQL] = []
    private(set) var indexes: [SQL] = []

    init(_ db: Database, _ definition: TableDefinition, options: TableOptions) throws {
        if let mistake = definition.mistake {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: mistake)
        }
        self.db = db
        self.definition = definition
        self.options = options
        ownKey = try definition.ownKey(db)
        for component in definition.components { try add(component) }
    }

    var table: SQL {
        get throws {
            var parts = columns
            if let key = definition.primaryKey { parts.append(try constraint("PRIMARY KEY", key)) }
            for key in definition.uniqueKeys { parts.append(try constraint("UNIQUE", key)) }
            parts += foreignKeys
            parts += definition.checks.map { "CHECK (\($0))" }
            parts += definition.constraints
            var sql: SQL = "CREATE"
            if options.contains(.temporary) { sql += " TEMPORARY" }
            sql += " TABLE"
            if options.contains(.ifNotExists) { sql += " IF NOT EXISTS" }
            sql += " \(identifier: definition.name) (\(parts.joined(separator: ", ")))"
            let tableOptions = try tableOptions
            if !tableOptions.isEmpty { sql.append(sql: " " + tableOptions.joined(separator: ", ")) }
            return sql
        }
    }

    /// The words of the options after the columns.
    ///
    /// - Throws: `SQLITE_MISUSE` if the dialect lacks one of them.
    private var tableOptions: [String] {
        get throws {
            var words: [String] = []
            if options.contains(.strict) {
                words.append(try db.dialect.strictTableOption ?? unsupported("strict"))
            }
            if options.contains(.withoutRowID) {
                words.append(try db.dialect.withoutRowIDOption ?? unsupported("withoutRowID"))
            }
            return words
        }
    }

    private func unsupported(_ option: String) throws -> String {
        throw DatabaseError.isUnsupported("the table option \(option)")
    }

    private var indexOptions: IndexOptions { options.contains(.ifNotExists) ? .ifNotExists : [] }

    private mutating func add(_ component: TableDefinition.Component) throws {
        switch component {
        case .column(let column): try add(column)
        case .columnLiteral(let sql): columns.append(sql)
        case .foreignKey(let columns, let reference): try add(reference, from: columns)
        case .belongsTo(let foreignKey): try add(foreignKey)
        }
    }

    private mutating func add(_ column: ColumnDefinition) throws {
        try column.requireFeatures(db)
        columns.append(try column.sql(db.dialect, primaryKey: primaryKeyColumns))
        if let index = column.indexStatement(on: definition.name, options: indexOptions) {
            indexes.append(index)
        }
    }

    private mutating func add(_ reference: ForeignKeyReference, from columns: [String]) throws {
        let sql = try reference.sql(primaryKey: primaryKeyColumns)
        foreignKeys.append(SQL(sql: "FOREIGN KEY \(columns.quotedList) \(sql)"))
    }

    private mutating func add(_ foreignKey: ForeignKeyDefinition) throws {
        let key = try foreignKey.referencedKey(db, own: ownKey)
        let reference = foreignKey.reference(to: key)
        let columns = foreignKey.columns(for: key)
        if let column = columns.first, columns.count == 1 {
            column.add(reference)
            switch foreignKey.indexing {
            case .index: column.indexed()
            case .unique: column.unique()
            case nil: break
            }
            return try add(column)
        }
        for column in columns { try add(column) }
        let names = columns.map(\.name)
        try add(reference, from: names)
        if let indexing = foreignKey.indexing {
            indexes.append(
                .createIndex(
                    Database.indexName(on: definition.name, columns: names), on: definition.name,
                    columns: names, options: indexing == .unique ? indexOptions.union(.unique) : indexOptions)
            )
        }
    }

    private func constraint(_ kind: String, _ key: TableDefinition.Key) throws -> SQL {
        let columns = try key.parts.flatMap { part in
            switch part {
            case .name(let name): [name]
            case .belongsTo(let foreignKey):
                try foreignKey.columns(for: foreignKey.referencedKey(db, own: ownKey)).map(\.name)
            }
        }
        return SQL(
            sql: "\(kind) \(columns.quotedList)\(try key.conflictResolution.constraintClause(db.dialect))")
    }

    private func primaryKeyColumns(of table: String) throws -> [String]? {
        guard table.isSameName(as: ownKey.table) else { return try db.primaryKey(table).columns }
        if let columns = ownKey.columns { return columns.map(\.name) }
        // A literal may declare the key.
        return definition.hasLiteralColumnsOrConstraints ? nil : db.dialect.rowIDColumns.first.map { [$0] }
    }
}

extension TableDefinition {
    fileprivate var hasLiteralColumnsOrConstraints: Bool {
        !constraints.isEmpty
            || components.contains { component in
                if case .columnLiteral = component { true } else { false }
            }
    }

    /// Returns the primary key, as far as it is known before the table exists.
    fileprivate func ownKey(_ db: Database) throws -> ReferencedKey {
        let definitions = components.compactMap { component in
            if case .column(let column) = component { column } else { nil }
        }
        guard let primaryKey else {
            let column = definitions.first { $0.primaryKey != nil }
            return ReferencedKey(
                table: name, columns: column.map { [ReferencedKey.Column(name: $0.name, type: $0.type)] })
        }
        let columns = try primaryKey.parts.flatMap { part in
            switch part {
            case .name(let name):
                [
                    ReferencedKey.Column(
                        name: name, type: definitions.first { $0.name.isSameName(as: name) }?.type)
                ]
            case .belongsTo(let foreignKey):
                // The key is still being determined: a column of it cannot refer to the key itself.
                try foreignKey.columns(for: foreignKey.referencedKey(db, own: nil)).map {
                    ReferencedKey.Column(name: $0.name, type: $0.type)
                }
            }
        }
        return ReferencedKey(table: name, columns: columns)
    }
}
