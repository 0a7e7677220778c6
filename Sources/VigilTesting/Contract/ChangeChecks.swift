import VigilStorage

/// Checks that changed rows are reported.
enum ChangeChecks {
    static let all: [BackendContract.Check] = [
        .init("insertionsAreReported", promise: "An inserted row is reported.", insertionsAreReported),
        .init("updatesAreReported", promise: "An updated row is reported.", updatesAreReported),
        .init("deletionsAreReported", promise: "A deleted row is reported.", deletionsAreReported),
        .init(
            "everyRowOfAStatementIsReported", promise: "Each row that a statement changes is reported.",
            everyRowOfAStatementIsReported),
        .init(
            "imagesShowTheRow", promise: "Row images contain the values before and after the change.",
            imagesShowTheRow
        ),
        .init(
            "keyChangeCoversBothKeys", promise: "A row whose key changes is reported with both keys.",
            keyChangeCoversBothKeys),
        .init(
            "updateWithoutDifferenceIsReported",
            promise: "An update that assigns the same values again is reported.",
            updateWithoutDifferenceIsReported),
        .init(
            "changesInSavepointsAreReported", promise: "Changes inside savepoints are reported.",
            changesInSavepointsAreReported),
        .init(
            "earlierStatementsReport",
            promise: "Statements that were compiled before the sink was set report to it.",
            earlierStatementsReport),
        .init(
            "schemaChangesReportNoRows",
            promise: "Creating a table is not reported as a change of another table's rows.",
            schemaChangesReportNoRows),
    ]

    private static let player = ContractConnection.player

    /// Fails unless the row was reported, either as itself and with the right kind and keys, or coarsely.
    private static func expectChange(
        _ kind: RowChange.Kind, old: Int64?, new: Int64?, in sink: RecordingSink, _ message: String
    ) throws {
        for key in [old, new].compactMap({ $0 }) {
            try expect(
                sink.covers(.integer(key), of: player), message, expected: "a report that covers row \(key)",
                actual: "\(sink.lines)")
        }
        for row in sink.rows where row.table == player && row.oldKey != .unknown && row.newKey != .unknown {
            let described = RecordingSink.Record.row(row)
            try expectEqual(row.kind, kind, "the kind of \(described)")
            try expectEqual(row.oldKey, old.map { .integer($0) }, "the old key of \(described)")
            try expectEqual(row.newKey, new.map { .integer($0) }, "the new key of \(described)")
        }
    }

    private static func insertionsAreReported(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for interest in [ChangeInterest.changes, .everyRow] {
            let id: Int64 = interest == .changes ? 7 : 8
            let sink = try connection.recording(interest) { _ in try connection.insertPlayer(Int(id)) }
            try expectChange(.insert, old: nil, new: id, in: sink, "the insertion, with interest \(interest)")
        }
    }

    private static func updatesAreReported(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 3)
        for interest in [ChangeInterest.changes, .everyRow] {
            let sink = try connection.recording(interest) { _ in
                try connection.execute("UPDATE player SET score = score + 1 WHERE id = 2")
            }
            try expectChange(.update, old: 2, new: 2, in: sink, "the update, with interest \(interest)")
        }
    }

    private static func deletionsAreReported(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 3)
        for interest in [ChangeInterest.changes, .everyRow] {
            let id: Int64 = interest == .changes ? 2 : 3
            let sink = try connection.recording(interest) { _ in
                try connection.execute("DELETE FROM player WHERE id = \(id)")
            }
            try expectChange(.delete, old: id, new: nil, in: sink, "the deletion, with interest \(interest)")
        }
    }

    private static func everyRowOfAStatementIsReported(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for sql in [
            "INSERT INTO player VALUES (1, 'a', 0), (2, 'b', 0), (3, 'c', 0)",
            "UPDATE player SET score = 1 WHERE id >= 1", "DELETE FROM player WHERE id >= 1",
        ] {
            let sink = try connection.recording(.everyRow) { _ in try connection.execute(sql) }
            for id in 1...3 as ClosedRange<Int64> {
                try expect(
                    sink.covers(.integer(id), of: player), sql, expected: "a report that covers row \(id)",
                    actual: "\(sink.lines)")
            }
        }
    }

    private static func imagesShowTheRow(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        try fixture.require(
            connection.storage.capabilities.reportsRowImages, "the backend reports no row images")
        let sink = try connection.recording(.changes) { _ in
            try connection.execute(
                """
                INSERT INTO player VALUES (1, 'Zo\u{EB}', NULL);
                UPDATE player SET score = 5 WHERE id = 1;
                DELETE FROM player WHERE id = 1;
                """)
        }
        let before: [String: StorageValue] = ["id": .integer(1), "name": .text("Zo\u{EB}"), "score": .null]
        let after: [String: StorageValue] = [
            "id": .integer(1), "name": .text("Zo\u{EB}"), "score": .integer(5),
        ]
        try expectEqual(sink.rows.map(\.kind), [.insert, .update, .delete], "the kinds of the changes")
        try expectEqual(sink.rows.map(\.oldValues), [nil, before, after], "the values before each change")
        try expectEqual(sink.rows.map(\.newValues), [before, after, nil], "the values after each change")
    }

    private static func keyChangeCoversBothKeys(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 2)
        for (interest, old, new) in [(ChangeInterest.changes, 1, 9), (.everyRow, 9, 1)] {
            let sink = try connection.recording(interest) { _ in
                try connection.execute("UPDATE player SET id = \(new) WHERE id = \(old)")
            }
            for key in [old, new] {
                try expect(
                    sink.covers(.integer(Int64(key)), of: player), "the change of key \(old) to \(new)",
                    expected: "a report that covers row \(key)", actual: "\(sink.lines)")
            }
        }
    }

    private static func updateWithoutDifferenceIsReported(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 1)
        let sink = try connection.recording(.changes) { _ in
            try connection.execute("UPDATE player SET score = score WHERE id = 1")
        }
        try expectChange(.update, old: 1, new: 1, in: sink, "the update that changed no value")
    }

    private static func changesInSavepointsAreReported(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let sink = try connection.recording(.changes) { _ in
            try connection.storage.perform(.savepoint("a"))
            try connection.insertPlayer(1)
            try connection.storage.perform(.savepoint("b"))
            try connection.insertPlayer(2)
            try connection.storage.perform(.rollbackTo("b"))
            try connection.storage.perform(.release("a"))
        }
        for key in 1...2 as ClosedRange<Int64> {
            try expect(
                sink.covers(.integer(key), of: player), "the insertions inside savepoints",
                expected: "a report that covers row \(key)", actual: "\(sink.lines)")
        }
        try expectEqual(sink.count(of: .willCommit), 1, "the number of commits")
        try expectEqual(sink.count(of: .didRollback), 0, "the number of rollbacks")
    }

    private static func earlierStatementsReport(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let cases: [(String, RowChange.Kind, Int64?, Int64?)] = [
            ("INSERT INTO player VALUES (1, 'a', 0)", .insert, nil, 1),
            ("UPDATE player SET score = 1 WHERE id = 1", .update, 1, 1),
            ("DELETE FROM player WHERE id = 1", .delete, 1, nil),
        ]
        for (sql, kind, old, new) in cases {
            try connection.withStatement(sql) { statement in
                let sink = try connection.recording(.changes) { _ in try statement.runAndReset() }
                try expectChange(kind, old: old, new: new, in: sink, "the earlier statement \(sql)")
            }
        }
    }

    private static func schemaChangesReportNoRows(_ fixture: ContractFixture) throws {
        let connection = try fixture.players(count: 2)
        let sink = try connection.recording(.everyRow) { _ in
            try connection.execute(
                "CREATE TABLE other(a INTEGER); INSERT INTO other VALUES (1); DROP TABLE other")
        }
        try expectEqual(sink.rows.filter { $0.table == player }, [], "the row changes of the other table")
        try connection.recording(.everyRow) { _ in
            try connection.withStatement("DROP TABLE player") { try $0.runAndReset() }
        }
        try expectEqual(
            try connection.storage.table("player", in: nil)?.name, nil,
            "the table that was dropped with a sink set")
    }
}
