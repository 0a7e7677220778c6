import VigilSQLite
import VigilStorage
import XCTest

/// The contents of all tables, kept current by the differences of pages alone.
final class TableMirror {
    private(set) var counts = (rows: 0, tables: 0, coarse: 0)
    /// The errors of states that were not understood.
    private(set) var errors: [PageError] = []
    /// The changes of the last state: kind and table.
    private(set) var events: [String] = []
    private let connection: PageTestConnection
    private let states: LoggedStates
    private var state: FileState
    private var map: PageMap
    private var trees: [TrackedTree] = []
    private var rows: [TableName: [RowKey: [StorageValue?]]] = [:]
    var limit = 10_000

    init(_ connection: PageTestConnection, path: String) throws {
        self.connection = connection
        states = LoggedStates(path: path)
        state = try states.next().state
        trees = try TrackedTree.all { try connection.run($0) }
        map = try PageMap(trees: trees, source: state)
        for table in tables { try load(table) }
    }

    var tables: [TrackedTable] {
        trees.compactMap { if case .rows(let table) = $0.content { table } else { nil } }
    }

    /// Follows the log to its end. `noise` adds pages that did not change.
    func advance(noise: Set<UInt32> = []) throws {
        let (new, changed) = try states.next()
        events = []
        do {
            try map.reportChanges(of: changed.union(noise), from: state, to: new, limit: limit) { apply($0) }
            state = new
        } catch {
            errors.append(error)
            counts.coarse += 1
            state = new
            trees = try TrackedTree.all { try connection.run($0) }
            map = try PageMap(trees: trees, source: state)
            rows = [:]
            for table in tables { try load(table) }
        }
        for event in events where event.hasPrefix("table ") {
            for table in tables where "table \(table.name.name)" == event { try load(table) }
        }
    }

    /// Compares all tables with the database.
    func check(_ message: String, file: StaticString = #filePath, line: UInt = #line) throws {
        for table in tables {
            let expected = try selected(table)
            let found = rows[table.name] ?? [:]
            guard found != expected else { continue }
            for key in Set(found.keys).union(expected.keys) where found[key] != expected[key] {
                XCTFail(
                    "\(message): \(table.name) \(key): \(show(found[key])), not \(show(expected[key]))",
                    file: file,
                    line: line)
            }
        }
    }

    private func show(_ row: [StorageValue?]?) -> String { String("\(row as Any)".prefix(500)) }

    private func apply(_ event: ChangeEvent) {
        switch event {
        case .database: XCTFail("a change of the database")
        case .table(let name):
            counts.tables += 1
            events.append("table \(name.name)")
        case .row(let change):
            counts.rows += 1
            events.append("\(change.kind) \(change.table.name)")
            apply(change)
        }
    }

    private func apply(_ change: RowChange) {
        guard let images = change.images else { return XCTFail("no images") }
        let columns = images.columnNames.indices
        if let key = change.oldKey {
            let known = rows[change.table]?.removeValue(forKey: key)
            XCTAssertEqual(columns.map { images.oldValue(at: $0)?.value }, known, "old row \(key)")
        } else {
            XCTAssertTrue(columns.allSatisfy { images.oldValue(at: $0) == nil })
        }
        if let key = change.newKey {
            let values = columns.map { images.newValue(at: $0)?.value }
            XCTAssertNil(rows[change.table, default: [:]].updateValue(values, forKey: key), "new row \(key)")
        } else {
            XCTAssertTrue(columns.allSatisfy { images.newValue(at: $0) == nil })
        }
    }

    private func load(_ table: TrackedTable) throws {
        rows[table.name] = try selected(table)
    }

    private func selected(_ table: TrackedTable) throws -> [RowKey: [StorageValue?]] {
        let key = table.isWithoutRowID ? "0" : "rowid"
        let columns = table.columns.map(\.name.quotedSQLName).joined(separator: ", ")
        var result: [RowKey: [StorageValue?]] = [:]
        for row in try connection.run("SELECT \(key), \(columns) FROM \(table.name.name.quotedSQLName)") {
            var values: [StorageValue?] = Array(row.dropFirst())
            let key: RowKey
            if table.isWithoutRowID {
                key = .values(table.primaryKey.compactMap { values[$0] })
            } else if case .integer(let number) = row[0] {
                key = .integer(number)
            } else {
                key = .unknown
            }
            for (index, column) in table.columns.enumerated() where column.place == .computed {
                values[index] = nil
            }
            result[key] = values
        }
        return result
    }
}
