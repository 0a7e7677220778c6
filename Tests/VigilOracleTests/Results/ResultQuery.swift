import Foundation
import Vigil

/// A statement with aggregates, groups or an order.
struct ResultQuery {
    let sql: String
    let parameterCount: Int
    /// The same rows in the same order, without a limit; `nil` for statements with one order.
    var ranking: Ranking?

    struct Ranking: Sendable {
        /// A statement that returns the sort values before the other columns.
        let sql: String
        let termCount: Int
        /// The number of rows that the limited statement skips.
        let offset: Int
        var isGrouped = false
    }
}

/// Decides whether rows that differ from fresh ones are another answer that SQL permits.
///
/// The order of rows and groups with equal sort values is that of an index, which may change with
/// `ANALYZE`, with the definition of an index, or with a column that the statement does not read. Of values
/// that are equal and not identical, such as `'a'` and `'A'` in a column with the collation NOCASE, a group
/// has any one.
struct PermittedRows {
    let query: OracleQuery
    let ranking: ResultQuery.Ranking?

    func contain(_ rows: [String], fresh: [String], _ db: Database) throws -> Bool {
        guard rows.count == fresh.count else { return false }
        // The rows of a list are identical to fresh ones.
        let text = { ranking?.isGrouped == true ? Self.loose($0) : $0 }
        guard let ranking else { return rows.map(Self.loose) == fresh.map(Self.loose) }
        let statement = try db.makeStatement(sql: ranking.sql)
        let ranked = try Row.fetchAll(statement, arguments: StatementArguments(query.values)).map { row in
            let values = row.databaseValues.map(\.storageValue.sqlLiteral)
            let terms: [String] = values.prefix(ranking.termCount).map(Self.loose)
            return (terms: terms, rest: text(values.dropFirst(ranking.termCount).joined(separator: ", ")))
        }
        guard rows.count + ranking.offset <= ranked.count || rows.isEmpty else { return false }
        // The rows that have the same place, less those that were found.
        var ties: [[String]: [String: Int]] = [:]
        for row in ranked { ties[row.terms, default: [:]][row.rest, default: 0] += 1 }
        for (row, place) in zip(rows.map(text), ranked.dropFirst(ranking.offset)) {
            guard let count = ties[place.terms]?[row], count > 0 else { return false }
            ties[place.terms]?[row] = count - 1
        }
        return true
    }

    /// Returns a text that is the same for values that are equal as numbers, or in the column with the
    /// collation NOCASE: no other has the text `A`.
    private static func loose(_ text: String) -> String {
        text.replacing("'A'", with: "'a'").replacing(/\.0(?=,|$)/, with: "")
    }
}
