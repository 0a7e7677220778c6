import VigilStorage

/// Checks that values are stored and read without loss.
enum ValueChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "valuesComeBack", promise: "A stored value is read back bit for bit, with its kind.",
            valuesComeBack),
        .init("literalsAreRead", promise: "Literals have the values that they denote.", literalsAreRead),
        .init(
            "missingValuesAreNull",
            promise: "Parameters without a value, or after clearBindings(), are NULL.",
            missingValuesAreNull),
        .init(
            "cellsBelongToTheRow", promise: "A row's cells stay valid until the statement's next step.",
            cellsBelongToTheRow),
    ]

    private static let values: [StorageValue] = [
        .null, .integer(0), .integer(-1), .integer(.min), .integer(.max), .real(0.5), .real(1), .real(-1e300),
        .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), .real(.infinity), .text(""),
        .text("a"), .text("it's \"quoted\""), .text("nul\0inside"), .text("\0"), .text("Zo\u{EB} 🎈 日本"),
        .text("Zoe\u{308}"), .text(String(repeating: "long ", count: 20_000)), .blob([]), .blob([0]),
        .blob([1, 0, 255]), .blob(Array(repeating: 7, count: 100_000)),
    ]

    /// The possible values of a column, by the type of the column.
    private static func columns(_ connection: ContractConnection) -> [(type: String, values: [StorageValue])]
    {
        if connection.hasUntypedColumns { return [("", values)] }
        let dialect = connection.dialect
        return [
            (dialect.type("INTEGER"), values.filter { if case .integer = $0 { true } else { $0 == .null } }),
            (dialect.type("DOUBLE"), values.filter { if case .real = $0 { true } else { false } }),
            (
                dialect.type("TEXT"),
                // Servers reject U+0000.
                values.filter { if case .text(let text) = $0 { !text.contains("\0") } else { false } }
            ),
            (dialect.type("BLOB"), values.filter { if case .blob = $0 { true } else { false } }),
        ]
    }

    private static func valuesComeBack(_ fixture: ContractFixture) throws {
        let connection = try fixture.open(fixture.location())
        for (type, values) in columns(connection) {
            try connection.execute("CREATE TABLE thing(\(connection.key), value \(type))")
            try connection.withStatement("INSERT INTO thing VALUES (?, ?)") { insertion in
                for (index, value) in values.enumerated() {
                    try insertion.bind([.integer(Int64(index)), value])
                    try insertion.runAndReset()
                }
            }
            let rows = try connection.rows("SELECT value FROM thing ORDER BY id")
            try expectEqual(rows.count, values.count, "the number of rows")
            for (row, value) in zip(rows, values) {
                try expectIdentical(row[0], value, "the value that was read back")
            }
            try connection.execute("DROP TABLE thing")
        }
    }

    private static func literalsAreRead(_ fixture: ContractFixture) throws {
        let connection = try fixture.open(fixture.location())
        let bytes = connection.dialect.bytesLiteral
        let literals: [(String, StorageValue, type: String)] = [
            ("NULL", .null, "TEXT"), ("-5", .integer(-5), "INTEGER"), ("1.5", .real(1.5), "DOUBLE"),
            ("'it''s'", .text("it's"), "TEXT"), ("\(bytes.start)00fF\(bytes.end)", .blob([0, 255]), "BLOB"),
            ("''", .text(""), "TEXT"), ("-9223372036854775808", .integer(.min), "INTEGER"),
            ("9223372036854775807", .integer(.max), "INTEGER"),
        ]
        for (literal, value, type) in literals {
            let type = connection.hasUntypedColumns ? "" : connection.dialect.type(type)
            try connection.execute("CREATE TABLE thing(value \(type)); INSERT INTO thing VALUES (\(literal))")
            let rows = try connection.rows("SELECT value FROM thing")
            try expectEqual(rows.count, 1, "the number of rows")
            try expectIdentical(rows[0][0], value, "the value of \(literal)")
            try connection.execute("DROP TABLE thing")
        }
    }

    private static func missingValuesAreNull(_ fixture: ContractFixture) throws {
        let connection = try fixture.open(fixture.location())
        try connection.execute(
            "CREATE TABLE thing(\(connection.key), value \(connection.dialect.type("INTEGER")))")
        try connection.withStatement("INSERT INTO thing(value) VALUES (?)") { insertion in
            try insertion.runAndReset()
            try insertion.bind(.integer(1), at: 1)
            try insertion.runAndReset()
            try insertion.runAndReset()
            insertion.clearBindings()
            try insertion.runAndReset()
        }
        try expectEqual(
            try connection.rows("SELECT value FROM thing ORDER BY id"),
            [[.null], [.integer(1)], [.integer(1)], [.null]],
            "the values after binding nothing, binding 1, only resetting, and clearBindings()")
    }

    private static func cellsBelongToTheRow(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 3)
        try connection.withStatement("SELECT name FROM player ORDER BY id") { outer in
            try expectTrue(try outer.step(), "a first row")
            let cell = outer.row[0]
            _ = try connection.rows("SELECT name, score FROM player")
            try expectEqual(cell.value, .text("p1"), "the cell after another statement ran")
            try expectTrue(try outer.step(), "a second row")
            try expectEqual(outer.row[0].value, .text("p2"), "the cell after the next step")
        }
    }
}
