import Vigil
import VigilRandomSQL
import VigilStorage
import VigilTesting

/// Tables, queries to observe, and writes, all generated from one seed.
struct OracleWorld {
    let seed: UInt64
    let schema: RandomSchema
    /// The statements that set up the world.
    let sql: [String]
    let queries: [OracleQuery]
    let writes: RandomWrites
    let random: SplitMix64
    private let hazards: [Hazard]
    private var hazardRandom: SplitMix64

    /// - Parameters:
    ///   - second: The name of the second database.
    ///   - hazards: The hazards to add. They do not affect the rest of the world.
    ///   - compile: Compiles a query, or returns `nil` if the library rejects it.
    init(
        seed: UInt64, second: String?, _ features: SQLFeatures, queryCount: Int, hazards: [Hazard] = [],
        setUp: ([String]) throws -> Void, compile: (String) -> CompiledQuery?
    ) throws {
        self.seed = seed
        self.hazards = hazards
        var random = SplitMix64(seed: seed)
        var hazardRandom = SplitMix64(seed: seed ^ 0xAAAA_AAAA)
        schema = RandomSchema(relatedIn: second, features, &random)
        sql = schema.sql + hazards.flatMap { $0.setUp(&hazardRandom) }
        try setUp(sql)
        var queries: [OracleQuery] = []
        var attempts = 0
        while queries.count < queryCount, attempts < queryCount * 20 {
            attempts += 1
            let sql =
                random.chance(3)
                ? RandomQuery.simple(schema, &random)
                : RandomQuery.sql(schema, style: .determinate, &random)
            guard features.hidesCommonTables || !sql.hasPrefix("WITH t "), let compiled = compile(sql) else {
                continue
            }
            var values: [DatabaseValue] = []
            for _ in 0..<compiled.parameterCount {
                values.append(DatabaseValue(schema.values.parameter(&random)))
            }
            queries.append(
                OracleQuery(
                    sql: sql, values: values,
                    source: .init(isCached: random.chance(2), number: queries.count),
                    fetchesEachCommit: random.chance(3), isPrecise: compiled.isPrecise))
        }
        for index in 0..<(hazards.isEmpty ? 0 : 16) {
            let query = hazards[index % hazards.count].query(&hazardRandom)
            guard let compiled = compile(query.sql) else { continue }
            queries.append(
                OracleQuery(
                    sql: query.sql, values: [],
                    source: .init(isCached: hazardRandom.chance(2), number: queries.count),
                    fetchesEachCommit: hazardRandom.chance(3), isPrecise: compiled.isPrecise,
                    isOrdered: query.isOrdered))
        }
        self.queries = queries
        self.hazardRandom = hazardRandom
        writes = RandomWrites(schema, features)
        self.random = random
    }

    /// Returns writes of a hazard, or `nil` to run other writes.
    mutating func hazardUnit() -> Hazard.Unit? {
        guard !hazards.isEmpty, !hazardRandom.chance(5) else { return nil }
        return hazards[Int.random(in: hazards.indices, using: &hazardRandom)].unit(&hazardRandom)
    }
}

/// The properties of a query that a library has compiled.
struct CompiledQuery {
    let parameterCount: Int
    /// Whether each table has conditions, and no part of the query was omitted from them.
    let isPrecise: Bool

    init(_ statement: any StorageStatement) {
        let report = (statement as? AlteredStatement)?.base.rowConditions ?? statement.rowConditions
        let tables = Set(report.tables.map(\.table))
        parameterCount = statement.parameterCount
        isPrecise =
            report.omissions.isEmpty && !tables.isEmpty
            && tables == Set(statement.access.reads.map(\.table))
    }
}

/// A query that is observed.
struct OracleQuery: Sendable {
    /// Where the statement of a fetch comes from.
    enum Source {
        case new
        /// The statements that the program shares.
        case cache
        /// The statements that are kept for repeated texts.
        case kept

        init(isCached: Bool, number: Int) {
            self = isCached ? .cache : number.isMultiple(of: 2) ? .kept : .new
        }
    }

    let sql: String
    let values: [DatabaseValue]
    let source: Source
    let fetchesEachCommit: Bool
    /// Whether the query's conditions on rows are completely recognized.
    let isPrecise: Bool
    /// Whether the order of the rows is significant.
    var isOrdered = false

    /// Whether the query selects one of several rows that are equal in some collation, which is not
    /// determinate.
    private var isLoose: Bool {
        ["DISTINCT", "max(", "GROUP BY", "UNION", "EXCEPT", "INTERSECT", "LIMIT"].contains(
            where: sql.contains)
    }

    /// Returns the rows, sorted unless their order is significant. A failure is a result too.
    func rows(_ db: Database) -> [String] {
        (try? fetch(db, source)) ?? ["failed"]
    }

    /// Returns the rows of a statement that no observation uses.
    ///
    /// - Parameter mayBeCached: whether the statement may be that of another query with the same text.
    func freshRows(_ db: Database, mayBeCached: Bool) -> [String] {
        if mayBeCached, source == .cache { return rows(db) }
        return (try? fetch(db, .new)) ?? ["failed"]
    }

    /// Returns the first columns of the rows of another statement with the same parameters.
    func freshRows(_ db: Database, sql: String, width: Int?) -> [String] {
        do {
            let statement = try db.leaseStatement(sql: sql)
            statement.setUncheckedArguments(StatementArguments(values))
            let rows = try Row.fetchAll(statement)
            return rows.map { $0.databaseValues.prefix(width ?? 0).map(\.exactText).joined(separator: ", ") }
        } catch {
            return ["failed"]
        }
    }

    /// Returns the texts of rows.
    func texts(_ rows: [Row]) -> [String] {
        let isLoose = isLoose && !isOrdered
        let texts = rows.map { row in
            row.databaseValues.map { isLoose ? $0.looseText : $0.exactText }.joined(separator: ", ")
        }
        return isOrdered ? texts : texts.sorted()
    }

    /// Returns the error of the query, or `nil` if it succeeds.
    func error(_ db: Database) -> String? {
        do {
            _ = try fetch(db, .new)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func fetch(_ db: Database, _ source: Source) throws -> [String] {
        let statement =
            switch source {
            case .new: try db.makeStatement(sql: sql)
            case .cache: try db.cachedStatement(sql: sql)
            case .kept: try db.leaseStatement(sql: sql)
            }
        let isLoose = isLoose
        var rows: [String] = []
        // Values are bound by position to named parameters too.
        statement.setUncheckedArguments(StatementArguments(values))
        let cursor = try Row.fetchCursor(statement)
        while let row = try cursor.next() {
            rows.append(
                row.databaseValues.map { isLoose ? $0.looseText : $0.exactText }.joined(separator: ", "))
        }
        return isOrdered ? rows : rows.sorted()
    }
}

extension DatabaseValue {
    fileprivate var exactText: String { storageValue.sqlLiteral }

    /// A text that is the same for values that are equal in some collation, or print the same.
    fileprivate var looseText: String {
        switch storageValue {
        case .integer(let integer): Self.text(Double(integer))
        case .real(let real): Self.text(real)
        case .text(let text):
            "'"
                + String(
                    String(text.lowercased().reversed().drop { $0 == " " }.reversed()).prefix { $0 != "\0" })
                + "'"
        case .null, .blob: exactText
        }
    }

    private static func text(_ real: Double) -> String { "\(Float(real))" }
}

extension SplitMix64 {
    mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}
