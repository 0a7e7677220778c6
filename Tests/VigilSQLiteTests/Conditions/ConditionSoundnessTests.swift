import Foundation
import VigilRandomSQL
import VigilStorage
import VigilTesting
import XCTest

/// Compares query results with and without the rows outside the recognized conditions.
final class ConditionSoundnessTests: XCTestCase {
    private static let schemaCount = RandomTestSettings.rounds(5)
    private static let queryCount = 60
    private static let patternCount = 30
    private static let alternativesCount = 48

    func testRowsOutsideTheConditionsDoNotChangeTheResult() throws {
        let seed = RandomTestSettings.seed
        for backend in NamedBackend.all { try assertSound(backend, seed) }
    }

    private func assertSound(_ backend: NamedBackend, _ seed: UInt64) throws {
        print("\(backend.name): VIGIL_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        var tally = Tally()
        var patterns = Tally()
        var alternatives = Tally()
        for _ in 0..<Self.schemaCount {
            let connection = try backend.backend.open(.memory(name: nil), options: StorageOptions())
            let schema = RandomSchema(&random)
            // Row IDs refuse text.
            for sql in schema.sql { _ = try? connection.run(sql) }
            add(RandomValues.interrupted, to: schema, connection, &random)
            for _ in 0..<Self.queryCount {
                try check(RandomQuery.sql(schema, &random), schema, connection, &random, &tally)
            }
            for _ in 0..<Self.alternativesCount {
                try check(
                    RandomQuery.alternatives(schema, &random), schema, connection, &random, &alternatives)
            }
            add(RandomValues.malformed, to: schema, connection, &random)
            for _ in 0..<Self.patternCount {
                try check(RandomQuery.matching(schema, &random), schema, connection, &random, &patterns)
            }
            try connection.close()
        }
        print("\(backend.name): \(tally); with patterns: \(patterns); with alternatives: \(alternatives)")
        XCTAssertGreaterThan(tally.compiled, Self.schemaCount * Self.queryCount / 5)
        XCTAssertGreaterThan(tally.withConditions, tally.compiled / 20, "too few")
        XCTAssertGreaterThan(tally.rowsThatDoNotMatter, tally.withConditions / 2, "too few")
        XCTAssertGreaterThan(alternatives.withConditions, alternatives.compiled / 10, "too few")
        XCTAssertGreaterThan(alternatives.rowsThatDoNotMatter, alternatives.withConditions / 2, "too few")
        XCTAssertEqual(
            tally.failures + patterns.failures + alternatives.failures, [],
            "VIGIL_SEED=\(seed), \(backend.name)")
    }

    /// Inserts texts that cannot be written in SQL.
    private func add(
        _ texts: [String], to schema: RandomSchema, _ connection: any StorageConnection,
        _ random: inout SplitMix64
    ) {
        for table in schema.tables where !table.isView {
            guard let column = table.columns.randomElement(using: &random),
                let text = texts.randomElement(using: &random)
            else { continue }
            let (name, key) = (table.qualifiedName, table.key)
            // Some columns refuse some texts.
            _ = try? connection.run(
                """
                UPDATE OR IGNORE \(name) SET "\(column)" = \(text)
                WHERE \(key) IN (SELECT \(key) FROM \(name) LIMIT 2)
                """)
        }
    }

    private struct Tally: CustomStringConvertible {
        var compiled = 0
        var withConditions = 0
        var rowsThatDoNotMatter = 0
        var failures: [String] = []

        var description: String {
            "\(compiled) queries, \(withConditions) with conditions, \(rowsThatDoNotMatter) rows left out"
        }
    }

    private func check(
        _ sql: String, _ schema: RandomSchema, _ connection: any StorageConnection,
        _ random: inout SplitMix64,
        _ tally: inout Tally
    ) throws {
        let preparation = try? connection.prepare(sql, fromUTF8Offset: 0, isCached: false)
        guard let statement = preparation?.statement else { return }
        defer { statement.finalize() }
        tally.compiled += 1
        let values = (0..<statement.parameterCount).map { _ in schema.values.parameter(&random) }
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        let conditions = statement.rowConditions(boundTo: values)
        guard !conditions.isEmpty else { return }
        tally.withConditions += 1
        let expected = rows(of: statement)
        for table in schema.tables {
            guard let alternatives = conditions[TableName(name: table.name)] else { continue }
            var keys = try keys(in: table, notMeeting: alternatives, connection)
            tally.rowsThatDoNotMatter += keys.count
            keys.shuffle(using: &random)
            for removed in [keys, Array(keys.prefix(1))] where !removed.isEmpty {
                try connection.run("SAVEPOINT s")
                for key in removed {
                    try connection.run("DELETE FROM \(table.name) WHERE \(table.key) IS ?", [key])
                }
                if rows(of: statement) != expected, try isIntact(connection) {
                    tally.failures.append(
                        """
                        \(sql)
                        values: \(values)
                        schema: \(schema.sql)
                        conditions: \(alternatives)
                        removed from \(table.name): \(removed)
                        """)
                }
                try connection.run("ROLLBACK TO s; RELEASE s")
            }
        }
    }

    /// Returns whether the indexes agree with their tables. SQLite 3.15, which is part of SQLCipher 3.4,
    /// damages an index of a REAL column with an integer beyond 2^53: after the deletion of its row, reads
    /// fail with `SQLITE_CORRUPT`. SQLite 3.40 does not.
    private func isIntact(_ connection: any StorageConnection) throws -> Bool {
        let isIntact = try connection.run("PRAGMA integrity_check") == [[.text("ok")]]
        if !isIntact { print("the library has damaged an index") }
        return isIntact
    }

    /// Returns descriptions of the rows: NULL differs from text, 1 differs from 1.0, and an error is a result
    /// too.
    private func rows(of statement: any StorageStatement) -> [String] {
        var rows: [String] = []
        do {
            while try statement.step() {
                rows.append("\((0..<statement.row.count).map { statement.row[$0].value })")
            }
        } catch {
            rows.append("failed")
        }
        statement.reset()
        return rows
    }

    private func keys(
        in table: RandomSchema.Table, notMeeting alternatives: [[RowCondition]],
        _ connection: any StorageConnection
    ) throws -> [StorageValue] {
        let columns = table.columns.map { "\"\($0)\"" }.joined(separator: ", ")
        return try connection.run("SELECT \(table.key), \(columns) FROM \(table.name)").compactMap { row in
            var naive = NaiveRow(rowID: nil, values: [:])
            if table.hasRowID, case .integer(let rowID) = row[0] { naive.rowID = rowID }
            for (column, value) in zip(table.columns, row.dropFirst()) { naive.values[column] = value }
            return naive.meets(alternatives) ? nil : row[0]
        }
    }
}
