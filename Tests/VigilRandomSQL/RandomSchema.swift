package import VigilTesting

/// Small tables of all affinities, collations and kinds of keys, with values that are often equal or similar.
package struct RandomSchema {
    package struct Table {
        /// The schema name that statements must qualify the table with, or `nil` if its name is enough.
        package var schema: String?
        package var name: String
        package var columns: [String]
        /// Generated columns, which cannot be written.
        package var generated: [String] = []
        /// The name of the column that identifies a row.
        package var key: String
        package var hasRowID: Bool
        /// The name of the table that a view selects from.
        package var viewed: String?

        package var isView: Bool { viewed != nil }

        package var qualifiedName: String { "\(schema ?? "main").\(name)" }
    }

    package internal(set) var sql: [String] = []
    package internal(set) var tables: [Table] = []
    package let values: RandomValues

    static let types = [
        "", "", "INTEGER", "INTEGER", "INT", "TEXT", "TEXT", "VARCHAR(10)", "REAL", "DOUBLE", "NUMERIC",
        "DATETIME",
        "BLOB", "BOOLEAN", "CHARINT", "FLOATING POINT", "ANY", "STRING",
        "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM", "COLLATE NOCASE", "INTEGER COLLATE NOCASE",
        "TEXT DEFAULT 'a'", "INTEGER DEFAULT 5", "INTEGER NOT NULL DEFAULT 0",
    ]

    package init(_ random: inout SplitMix64) {
        values = RandomValues(&random)
        for name in ["t", "u", "V"] { add(name, &random) }
        addCopy(&random)
    }

    /// Adds a table that is created from a query. Its columns may contain values that insertions would
    /// convert.
    private mutating func addCopy(_ random: inout SplitMix64) {
        let types = ["INT", "TEXT", "REAL", "BLOB"]
        let (first, second) = (pick(types, &random), pick(types, &random))
        sql.append(
            """
            CREATE TABLE w AS SELECT CAST(a AS \(first)) AS a, CAST(b AS \(second)) AS b FROM t
            UNION ALL SELECT b, a FROM u
            """)
        tables.append(Table(name: "w", columns: ["a", "b"], key: "_rowid_", hasRowID: true))
    }

    /// The parts of a table other than its random columns.
    struct Additions {
        /// Column definitions for CREATE TABLE.
        var definitions: [String] = []
        var columns: [String] = []
        var generated: [String] = []
        /// Table constraints, which follow the columns.
        var constraints: [String] = []
        /// Whether other tables may reference its `id`.
        var isParent = false
    }

    init(values: RandomValues) {
        self.values = values
    }

    mutating func add(
        _ name: String, in schema: String? = nil, with additions: Additions = Additions(),
        _ random: inout SplitMix64
    ) {
        var columns = ["a", "b", "C", "select"].prefix(Int.random(in: 2...4, using: &random)).map { $0 }
        var parts = columns.map { "\"\($0)\" \(Self.types.randomElement(using: &random) ?? "")" }
        var table = Table(schema: schema, name: name, columns: [], key: "_rowid_", hasRowID: true)
        columns += additions.columns
        parts += additions.definitions
        table.generated = additions.generated
        var ending = ""
        switch Int.random(in: 0..<(additions.isParent ? 5 : 8), using: &random) {
        case 0, 1, 2:
            columns.append("id")
            parts.append("id INTEGER PRIMARY KEY")
        case 3:
            columns.append("id")
            parts.append("id INT PRIMARY KEY")
        case 4:
            columns.append("id")
            parts.append("id \(Bool.random(using: &random) ? "TEXT" : "INTEGER") PRIMARY KEY")
            ending = " WITHOUT ROWID"
            table.key = "id"
            table.hasRowID = false
        case 5:
            // The library reports row ids in uppercase.
            let name = columns.count.isMultiple(of: 2) ? "ROWID" : "rowid"
            columns.append(name)
            parts.append("\(name) \(Self.types.randomElement(using: &random) ?? "")")
        case 6:
            columns.append("id")
            parts.append("id INTEGER PRIMARY KEY DESC")
        default: break
        }
        table.columns = columns
        parts += additions.constraints
        let prefix = schema.map { "\($0)." } ?? ""
        sql.append("CREATE TABLE \(prefix)\(name)(\(parts.joined(separator: ", ")))\(ending)")
        for (number, column) in columns.enumerated() where Int.random(in: 0..<3, using: &random) == 0 {
            let order = ["", " DESC", " COLLATE NOCASE"].randomElement(using: &random) ?? ""
            sql.append("CREATE INDEX \(prefix)\(name)_\(number) ON \(name)(\"\(column)\"\(order))")
        }
        for _ in 0..<Int.random(in: 3...9, using: &random) {
            let values = columns.map { _ in self.values.sql(&random) }
            let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
            let row = "(\(names)) VALUES (\(values.joined(separator: ", ")))"
            sql.append("INSERT OR IGNORE INTO \(prefix)\(name)\(row)")
        }
        if chance(3, &random) {
            let type = pick(["INTEGER", "TEXT", "REAL", "", "TEXT COLLATE NOCASE"], &random)
            let value = values.sql(&random)
            sql.append("ALTER TABLE \(prefix)\(name) ADD COLUMN late \(type) DEFAULT \(value)")
            table.columns.append("late")
        }
        tables.append(table)
    }
}
