import VigilStorage

/// Checks that values are stored and read without loss.
enum ValueChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "valuesComeBack", "A stored value is read back bit for bit, with its kind.", valuesComeBack),
        .init("literalsAreRead", "Literals have the values that they denote.", literalsAreRead),
        .init(
            "missingValuesAreNull", "Parameters without a value, or after clearBindings(), are NULL.",
            missingValuesAreNull),
        .init(
            "cellsBelongToTheRow", "A row's cells stay valid until the statement's next step.",
            cellsBelongToTheRow),
    ]

    private static let values: [StorageValue] = [
        .null, .integer(0), .integer(-1), .integer(.min), .integer(.max), .real(0.5), .real(1), .real(-1e300),
        .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), .real(.infinity), .text(""),
        .text("a"), .text("it's \"quoted\""), .text("nul\0inside"), .text("\0"), .text("Zo\u{EB} 🎈 日本"),
        .text("Zoe\u{308}"), .text(String(repeating: "long ", count: 20_000)), .blob([]), .blob([0]),
        .blob([1, 0, 255]), .blob(Array(repeating: 7, count: 100_000)),
    ]

    private static func valuesComeBack(_ fixture: ContractFixture) throws {
        let connection = try fixture.open(fixture.location())
        try connection.execute("CREATE TABLE thing(id INTEGER PRIMARY KEY, value)")
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
    }

    private static func literalsAreRead(_ fixture: ContractFixture) throws {
        let connection = try fixture.open(fixture.location())
        try connection.execute(
            """
            CREATE TABLE thing(id INTEGER PRIMARY KEY, value);
            INSERT INTO thing VALUES (1, NULL), (2, -5), (3, 1.5), (4, 'it''s'), (5, X'00fF'), (6, '');
            INSERT INTO thing VALUES (7, -9223372036854775808), (8, 9223372036854775807);
            """)
        let expected: [StorageValue] = [
            .null, .integer(-5), .real(1.5), .text("it's"), .blob([0, 255]), .text(""), .integer(.min),
            .integer(.max),
        ]
        let rows = try connection.rows("SELECT value FROM thing ORDER BY id")
        try expectEqual(rows.count, expected.count, "the number of rows")
        for (row, value) in zip(rows, expected) {
            try expectIdentical(row[0], value, "the value of a literal")
        }
    }

    private static func missingValuesAreNull(_ fixture: ContractFixture) throws {
        let connection = try fixture.open(fixture.location())
        try connection.execute("CREATE TABLE thing(id INTEGER PRIMARY KEY, value)")
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
