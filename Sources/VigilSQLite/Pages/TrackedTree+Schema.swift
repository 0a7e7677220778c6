package import VigilStorage

extension TrackedTree {
    /// Reads all b-trees of the schema `main` and the layout of their rows.
    ///
    /// - Parameters:
    ///   - owners: the virtual tables with content in other tables, by the folded names of the latter.
    ///   - query: runs a statement and returns its rows.
    package static func all<Failure: Error>(
        owners: [String: TableName] = [:], query: (String) throws(Failure) -> [[StorageValue]]
    ) throws(Failure) -> [TrackedTree] {
        let objects = try query("SELECT type, name, rootpage FROM main.sqlite_master WHERE rootpage > 0")
        let indexes = Set(objects.filter { $0[0] == .text("index") }.compactMap { $0[1].text?.foldedName })
        var trees: [TrackedTree] = []
        for object in objects {
            guard case .integer(let root) = object[2], let page = UInt32(exactly: root),
                let name = object[1].text
            else { continue }
            let content: Content =
                if object[0] == .text("table") {
                    try content(TableName(name: name), owners, indexes, query)
                } else {
                    .ignored
                }
            trees.append(TrackedTree(rootPage: page, content: content))
        }
        return trees
    }

    private static func content<Failure: Error>(
        _ name: TableName, _ owners: [String: TableName], _ indexes: Set<String>,
        _ query: (String) throws(Failure) -> [[StorageValue]]
    ) throws(Failure) -> Content {
        if let owner = owners[name.name.foldedName] { return .tables([owner, name]) }
        if name.isOfLibrary { return .tables([name]) }
        let layout = try TableLayout(name, indexes, query)
        guard let table = layout.table else { return .tables([name]) }
        return .rows(table)
    }
}

/// Determines where the columns of a table are in its records.
private struct TableLayout {
    private(set) var table: TrackedTable?

    /// The columns of `PRAGMA table_xinfo`: cid, name, type, notnull, dflt_value, pk, hidden.
    private typealias ColumnRow = [StorageValue]

    init<Failure: Error>(
        _ name: TableName, _ indexes: Set<String>, _ query: (String) throws(Failure) -> [[StorageValue]]
    ) throws(Failure) {
        let argument = name.name.quotedSQLName
        var rows = try query("PRAGMA main.table_xinfo(\(argument))")
        // Libraries without this pragma have no generated columns.
        if rows.isEmpty { rows = try query("PRAGMA main.table_info(\(argument))").map { $0 + [.integer(0)] } }
        guard !rows.isEmpty, rows.allSatisfy({ $0.count == 7 }) else { return }
        // The columns: seq, name, unique, origin, partial.
        let keyIndex = try query("PRAGMA main.index_list(\(argument))")
            .first { $0.count > 3 && $0[3] == .text("pk") }?[1].text
        var fields: [Int: Int] = [:]
        var isWithoutRowID = false
        if let keyIndex, !indexes.contains(keyIndex.foldedName) {
            // Only the index of a table without row ids is the table itself.
            isWithoutRowID = true
            for row in try query("PRAGMA main.index_xinfo(\(keyIndex.quotedSQLName))") {
                guard row.count > 1, case .integer(let field) = row[0], case .integer(let column) = row[1]
                else { return }
                if fields[Int(column)] == nil { fields[Int(column)] = Int(field) }
            }
        } else {
            for (index, row) in rows.enumerated() where row[6] != .integer(2) { fields[index] = fields.count }
        }
        let key = rows.indices.filter { Self.keyPosition(rows[$0]) > 0 }
            .sorted { Self.keyPosition(rows[$0]) < Self.keyPosition(rows[$1]) }
        let alias = key.count == 1 && keyIndex == nil ? key[0] : nil
        var columns: [TrackedTable.Column] = []
        for (index, row) in rows.enumerated() {
            let place: TrackedTable.Column.Place
            if let alias, alias == index, row[2].text?.isSameName(as: "INTEGER") == true {
                place = .rowID
            } else if row[6] == .integer(2) {
                place = .computed
            } else {
                guard let field = fields[index] else { return }
                place = .field(field)
            }
            columns.append(try Self.column(row, place, query))
        }
        table = TrackedTable(name: name, columns: columns, primaryKey: isWithoutRowID ? key : [])
    }

    private static func keyPosition(_ row: ColumnRow) -> Int64 {
        if case .integer(let position) = row[5] { position } else { 0 }
    }

    private static func column<Failure: Error>(
        _ row: ColumnRow, _ place: TrackedTable.Column.Place,
        _ query: (String) throws(Failure) -> [[StorageValue]]
    ) throws(Failure) -> TrackedTable.Column {
        let affinity = ColumnAffinity(declaredType: row[2].text ?? "")
        return TrackedTable.Column(
            name: row[1].text ?? "", place: place, isReal: affinity == .real,
            defaultValue: try defaultValue(row[4], affinity, query))
    }

    /// Returns the value of a column in older rows; `nil` if it is not certain.
    private static func defaultValue<Failure: Error>(
        _ expression: StorageValue, _ affinity: ColumnAffinity?,
        _ query: (String) throws(Failure) -> [[StorageValue]]
    ) throws(Failure) -> StorageValue? {
        guard case .text(let sql) = expression else { return .null }
        guard isLiteral(sql), let value = try query("SELECT \(sql)").first?.first,
            let stored = affinity?.stored(value)
        else { return nil }
        switch (affinity, stored) {
        case (.real, .integer(let integer)): return .real(Double(integer))
        // The library may store an equal integer.
        case (.numeric, .real): return nil
        // The library keeps the zeros of long numbers, as in `DEFAULT 0049301234567`.
        case (.text, _) where beginsWithZeros(sql): return nil
        case (.some(.none), .real(let real)) where real == real.rounded(): return nil
        default: return stored
        }
    }

    private static func withoutSign(_ sql: String) -> Substring {
        sql.utf8.first.map { "+-".utf8.contains($0) } == true ? sql.dropFirst() : sql[...]
    }

    /// Returns whether a literal is a number with zeros before other digits.
    private static func beginsWithZeros(_ sql: String) -> Bool {
        let digits = withoutSign(sql)
        return digits.utf8.first == UInt8(ascii: "0") && digits.utf8.count > 1
    }

    /// Returns whether an expression is NULL, a number, or a string or blob without quotes inside.
    private static func isLiteral(_ sql: String) -> Bool {
        if sql.isSameName(as: "NULL") { return true }
        let rest = withoutSign(sql)
        if let first = rest.utf8.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= first {
            return rest.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".")
            }
        }
        let quoted = sql.utf8.first.map { "xX".utf8.contains($0) } == true ? sql.dropFirst() : sql[...]
        return quoted.utf8.count >= 2 && quoted.utf8.first == UInt8(ascii: "'")
            && quoted.utf8.last == UInt8(ascii: "'")
            && !quoted.dropFirst().dropLast().utf8.contains(UInt8(ascii: "'"))
    }
}
