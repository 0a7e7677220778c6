import VigilStorage

/// Checks nested savepoints, and savepoints outside of a transaction.
enum SavepointChecks {
    static let all: [BackendContract.Check] = [
        .init(
            "savepointsNest", promise: "Rolling back to a savepoint reverts only the changes made after it.",
            savepointsNest),
        .init(
            "savepointSurvivesItsRollback", promise: "Rolling back to a savepoint keeps it open.",
            savepointSurvivesItsRollback),
        .init(
            "savepointsMayShareAName",
            promise: "A name that several savepoints have denotes the innermost one.",
            savepointsMayShareAName),
        .init(
            "savepointIsATransaction",
            promise: "A savepoint outside of a transaction begins one, and its release ends it.",
            savepointIsATransaction),
        .init(
            "savepointNamesAreTakenLiterally", promise: "Any text is a valid name of a savepoint.",
            savepointNamesAreTakenLiterally),
    ]

    private static func savepointsNest(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let storage = connection.storage
        try connection.begin()
        try connection.insertPlayer(1)
        try storage.perform(.savepoint("outer"))
        try connection.insertPlayer(2)
        try storage.perform(.savepoint("inner"))
        try connection.insertPlayer(3)
        try storage.perform(.rollbackTo("inner"))
        try storage.perform(.release("inner"))
        try expectEqual(
            try connection.playerIDs(), [1, 2], "the rows after rolling back to the inner savepoint")
        try storage.perform(.savepoint("inner"))
        try connection.insertPlayer(4)
        try storage.perform(.release("inner"))
        try storage.perform(.rollbackTo("outer"))
        try expectEqual(try connection.playerIDs(), [1], "the rows after rolling back to the outer savepoint")
        if storage.capabilities.survivesStatementErrors {
            try expectError(.error, "releasing a savepoint that no longer exists") {
                try storage.perform(.release("inner"))
            }
        }
        try connection.commit()
        try expectEqual(try connection.playerIDs(), [1], "the committed rows")
    }

    private static func savepointSurvivesItsRollback(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let begin = connection.hasStatementsOfSQLite ? "" : "BEGIN; "
        try connection.execute("\(begin)SAVEPOINT a")
        for id in 1...2 {
            try connection.insertPlayer(id)
            try connection.execute("ROLLBACK TO SAVEPOINT a")
        }
        try connection.insertPlayer(3)
        try connection.execute("RELEASE SAVEPOINT a")
        if connection.storage.isInTransaction { try connection.commit() }
        try expectEqual(try connection.playerIDs(), [3], "the committed rows")
    }

    private static func savepointsMayShareAName(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let storage = connection.storage
        try connection.begin()
        for id in 1...3 {
            try storage.perform(.savepoint("same"))
            try connection.insertPlayer(id)
        }
        try storage.perform(.rollbackTo("SAME"))
        try expectEqual(
            try connection.playerIDs(), [1, 2], "the rows after rolling back to the innermost savepoint")
        try storage.perform(.release("same"))
        try storage.perform(.rollbackTo("same"))
        try expectEqual(
            try connection.playerIDs(), [1], "the rows after rolling back to the middle savepoint")
        try connection.commit()
        try expectEqual(try connection.playerIDs(), [1], "the committed rows")
    }

    private static func savepointIsATransaction(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        let storage = connection.storage
        try storage.perform(.savepoint("a"))
        try expectTrue(storage.isInTransaction, "an open transaction after the savepoint")
        try connection.insertPlayer(1)
        try storage.perform(.savepoint("b"))
        try storage.perform(.release("b"))
        try expectTrue(storage.isInTransaction, "an open transaction after the inner release")
        try storage.perform(.release("a"))
        try expectTrue(!storage.isInTransaction, "no open transaction after the outer release")
        try storage.perform(.savepoint("a"))
        try connection.insertPlayer(2)
        try storage.perform(.rollback)
        try expectTrue(!storage.isInTransaction, "no open transaction after the rollback")
        try expectEqual(try connection.playerIDs(), [1], "the committed rows")
    }

    private static func savepointNamesAreTakenLiterally(_ fixture: ContractFixture) throws {
        let connection = try fixture.players()
        for (index, name) in ["two words", "a \"quoted\" one", "it's", "select", "é;--"].enumerated() {
            try connection.storage.perform(.savepoint(name))
            try connection.insertPlayer(index + 1)
            try connection.storage.perform(.rollbackTo(name))
            try connection.storage.perform(.release(name))
        }
        try expectEqual(try connection.playerIDs(), [], "the rows after all savepoints were rolled back")
    }
}
