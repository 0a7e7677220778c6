package import VigilTesting

/// A kind of schema, queries and writes whose changes are easily missed. Each hazard has its own tables.
package enum Hazard: String, CaseIterable, Sendable {
    /// Triggers that delete all rows of another table.
    case deletingTriggers
    /// Triggers that fail or roll back after other changes.
    case failingTriggers
    /// FTS4 and FTS5 tables that store their content or read it from another table, and tables of their
    /// terms.
    case fullText
    /// Databases with tables of the same name that are attached and detached.
    case attachedDatabases
    /// Queries that fail because of a row, whether or not it meets their conditions.
    case failingFetches
    /// `RETURNING` statements whose rows are not read to the end, and whose commit may fail.
    case partialReturning
    /// Names and texts that are canonically equal but differ in bytes, keywords, quotes, U+FEFF.
    case oddNames
    /// Rows whose row ids change, and queries whose results depend on the order of row ids.
    case movedRows
    /// Transactions that end before the `write` block does.
    case abortedBlocks

    /// Returns whether the hazard exists in a library, and in a pool, whose readers do not see attached
    /// databases.
    package func exists(_ features: SQLFeatures, isPool: Bool) -> Bool {
        switch self {
        case .partialReturning: features.hasReturning
        case .attachedDatabases: !isPool
        default: true
        }
    }

    /// A query to observe.
    package struct Query {
        package var sql: String
        /// Whether the order of its rows is significant.
        package var isOrdered = false
    }

    /// Statements that are run together.
    package struct Unit {
        package var statements: [RandomWrites.Statement]
        /// Whether the statements run in one `write` block that ignores their errors.
        package var isBlock = false

        init(_ sql: [String]) { statements = sql.map { RandomWrites.Statement(sql: $0) } }
    }

    /// Returns statements that create the tables. Some of them fail in libraries without the feature.
    package func setUp(_ random: inout SplitMix64) -> [String] {
        switch self {
        case .deletingTriggers: Self.setUpDeletingTriggers(&random)
        case .failingTriggers: Self.setUpFailingTriggers(&random)
        case .fullText: Self.setUpFullText(&random)
        case .attachedDatabases: Self.setUpAttachedDatabases()
        case .failingFetches: Self.setUpFailingFetches()
        case .partialReturning: Self.setUpPartialReturning()
        case .oddNames: Self.setUpOddNames()
        case .movedRows: Self.setUpMovedRows()
        case .abortedBlocks: Self.setUpAbortedBlocks()
        }
    }

    package func query(_ random: inout SplitMix64) -> Query {
        switch self {
        case .deletingTriggers: Query(sql: Self.simpleQuery(of: "whole", &random))
        case .failingTriggers: Query(sql: Self.simpleQuery(of: pick(["strict", "side"], &random), &random))
        case .fullText: Query(sql: Self.queryOfFullText(&random))
        case .attachedDatabases: Query(sql: Self.queryOfAttachedDatabases(&random))
        case .failingFetches: Query(sql: Self.failingQuery(&random))
        case .partialReturning: Query(sql: Self.queryOfReturning(&random))
        case .oddNames: Query(sql: Self.queryOfOddNames(&random))
        case .movedRows: Query(sql: Self.orderedQuery(&random), isOrdered: true)
        case .abortedBlocks: Query(sql: Self.simpleQuery(of: "once", &random))
        }
    }

    package func unit(_ random: inout SplitMix64) -> Unit {
        switch self {
        case .deletingTriggers: Self.writesOfDeletingTriggers(&random)
        case .failingTriggers: Self.writesOfFailingTriggers(&random)
        case .fullText: Self.writesOfFullText(&random)
        case .attachedDatabases: Self.writesOfAttachedDatabases(&random)
        case .failingFetches: Self.writesOfFailingFetches(&random)
        case .partialReturning: Self.writesOfReturning(&random)
        case .oddNames: Self.writesOfOddNames(&random)
        case .movedRows: Self.writesOfMovedRows(&random)
        case .abortedBlocks: Self.abortedBlock(&random)
        }
    }

    // MARK: - Parts

    static func number(_ random: inout SplitMix64) -> Int { number(1...6, &random) }

    static func number(_ range: ClosedRange<Int>, _ random: inout SplitMix64) -> Int {
        Int.random(in: range, using: &random)
    }

    /// Returns a query of a table with the columns `id` and `a`.
    static func simpleQuery(of table: String, _ random: inout SplitMix64) -> String {
        let number = number(&random)
        let condition = pick(
            ["", "", " WHERE id = \(number)", " WHERE a = \(number)", " WHERE a > \(number)"], &random)
        return "SELECT \(pick(["*", "a", "id", "COUNT(*)"], &random)) FROM \(table)\(condition)"
    }

    /// Returns statements, with or without a transaction around them.
    static func together(
        _ count: ClosedRange<Int>, _ random: inout SplitMix64, _ statement: (inout SplitMix64) -> String
    ) -> [String] {
        let statements = (0..<number(count, &random)).map { _ in statement(&random) }
        guard chance(2, &random) else { return statements }
        return ["BEGIN"] + statements + [chance(6, &random) ? "ROLLBACK" : "COMMIT"]
    }
}
