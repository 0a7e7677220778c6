import SwiftSyntax
import SwiftSyntaxMacros

/// The extension of a record. Members declared by the struct itself are left out.
struct RecordCode {
    private(set) var conformances: [String] = []
    private(set) var members: [String] = []
    private let record: RecordDeclaration
    private let context: any MacroExpansionContext

    /// - Parameter missing: the protocols of the macro that the struct does not conform to yet.
    init(_ record: RecordDeclaration, missing: Set<String>, in context: some MacroExpansionContext) {
        self.record = record
        self.context = context
        if record.hasTable {
            add("Columns", columns)
            add("databaseTableName", "static var databaseTableName: Swift.String { \(record.table.literal) }")
            add("databaseSelection", selection)
        }
        add("init(row: Row)", decoding)
        if missing.contains("FetchableRecord") { conformances.append("Vigil.FetchableRecord") }
        guard record.hasTable else { return }
        // Also if it follows from another one: the compiler expects each protocol of the macro by name.
        if missing.contains("TableRecord") { conformances.append("Vigil.TableRecord") }
        if !record.options.contains("readOnly") {
            add("encode(to: PersistenceContainer)", encoding)
            addSaving(missing)
        }
        if missing.contains("Identifiable"), RecordIdentity(record).isKnown {
            conformances.append("Swift.Identifiable")
        }
    }

    /// Adds a member, unless the struct declares it.
    private mutating func add(_ name: String, _ code: String) {
        if !record.members.contains(name) { members.append(record.access + code) }
    }

    private var columns: String {
        let columns = record.properties.compactMap { property -> String? in
            guard case .column(let isJSON, _) = property.role else { return nil }
            let type = isJSON ? "Vigil.JSONColumn" : "Vigil.Column"
            let name = property.identifier
            return "\(record.access)static var \(name): \(type) { \(type)(\(property.column.literal)) }"
        }
        return "enum Columns {\n\(columns.joined(separator: "\n"))\n}"
    }

    private var selection: String {
        let columns = record.properties.filter(\.isColumn).map { "Vigil.Column(\($0.column.literal))" }
        let nested = record.properties.compactMap { property -> String? in
            guard case .nested = property.role else { return nil }
            return " + _recordSelection(of: \\.\(property.identifier))"
        }
        return """
            static var databaseSelection: [any Vigil.SQLSelectable] {
            [\(columns.joined(separator: ", "))]\(nested.joined())
            }
            """
    }

    private var decoding: String {
        // Columns of values, in the order of the properties.
        let columns = record.properties.filter(\.isValue).map(\.column)
        let lines = record.properties.compactMap { property -> String? in
            decoded(property, columns).map { "\(location(property))self.\(property.identifier) = try \($0)" }
        }
        let end = lines.contains { $0.hasPrefix("#") } ? "\n#sourceLocation()" : ""
        let names = columns.map(\.literal).joined(separator: ", ")
        let cells = columns.isEmpty ? "" : "let cells = row._recordCells(of: Self.self, [\(names)])\n"
        return "init(row: Vigil.Row) throws {\n\(cells)\(lines.joined(separator: "\n"))\(end)\n}"
    }

    /// Returns a directive for the line of a property, where the compiler then reports a type that it cannot
    /// decode; empty if the line is unknown.
    private func location(_ property: RecordProperty) -> String {
        let location = context.location(
            of: property.pattern, at: .afterLeadingTrivia, filePathMode: .filePath)
        return location.map { "#sourceLocation(file: \($0.file), line: \($0.line))\n" } ?? ""
    }

    private func decoded(_ property: RecordProperty, _ columns: [String]) -> String? {
        let column = property.column.literal
        switch property.role {
        case .column(isJSON: true, _):
            let name = property.wrappedType == nil ? "_recordJSON" : "_recordJSONIfPresent"
            return "row.\(name)(\(column), in: Self.self)"
        case .column:
            let position = columns.firstIndex { $0 == property.column } ?? 0
            return "row._recordValue(\(column), cells, at: \(position))"
        case .nested: return ".init(row: row)"
        case .associated:
            return "row.decode\(property.wrappedType == nil ? "" : "IfPresent")(forKey: \(column))"
        case .ignored: return nil
        }
    }

    private var encoding: String {
        let lines = record.properties.compactMap { property -> String? in
            let column = property.column.literal
            switch property.role {
            case .column(isJSON: true, isGenerated: false):
                return "try container._setRecordJSON(\(column), self.\(property.identifier), in: Self.self)"
            case .column(isJSON: false, isGenerated: false):
                return "container._setRecordValue(\(column), self.\(property.identifier))"
            case .nested: return "try self.\(property.identifier).encode(to: &container)"
            case .column, .associated, .ignored: return nil
            }
        }
        return """
            func encode(to container: inout Vigil.PersistenceContainer) throws {
            \(lines.joined(separator: "\n"))
            }
            """
    }

    /// Adds the function that stores a row id, and the conformance for saving.
    private mutating func addSaving(_ missing: Set<String>) {
        // A copy of a record that is not changed would receive the row id.
        let isMutable = !record.inherited.contains("PersistableRecord")
        var changes =
            record.changesOnInsertion || record.key.contains { !$0.isConstant && $0.wrappedType != nil }
        if isMutable, let rowID, !record.members.contains("didInsert(_: InsertionSuccess)") {
            changes = true
            add(
                "didInsert(_: InsertionSuccess)",
                """
                mutating func didInsert(_ inserted: Vigil.InsertionSuccess) {
                    if inserted._recordKeyColumn?.lowercased() == \(rowID.column) { \(rowID.assignment) }
                }
                """)
        }
        guard missing.contains("MutablePersistableRecord") else { return }
        conformances.append("Vigil.MutablePersistableRecord")
        if !changes { conformances.append("Vigil.PersistableRecord") }
    }

    /// The assignment of the row id to an optional integer that is the primary key, and its column.
    private var rowID: (column: String, assignment: String)? {
        guard record.key.count == 1, let key = record.key.first, !key.isConstant,
            let type = key.wrappedType?.trimmedDescription
        else { return nil }
        let column = key.column.lowercased().literal
        switch type {
        case "Int64", "Swift.Int64": return (column, "self.\(key.identifier) = inserted.rowID")
        case "Int", "Swift.Int": return (column, "self.\(key.identifier) = Swift.Int(inserted.rowID)")
        default: return nil
        }
    }
}
