import Foundation
import Vigil
import XCTest

final class WatchTests: ToolTestCase {
    private let names = "SELECT id, name FROM player ORDER BY id"

    func testJSONPrintsRowsAndEachChangeByAnotherProcess() throws {
        for mode in ["WAL", "DELETE"] {
            try? FileManager.default.removeItem(atPath: path)
            let dbQueue = try makeDatabase(journalMode: mode)
            let tool = try watch(names, "--format", "json", "--count", "2")
            XCTAssertEqual(
                try tool.line(), #"{"n":0,"rows":[{"id":1,"name":"Ada"},{"id":2,"name":"Grace"}]}"#, mode)
            try write(dbQueue, "DELETE FROM player WHERE id = 1")
            XCTAssertEqual(try tool.line(), #"{"n":1,"rows":[{"id":2,"name":"Grace"}]}"#, mode)
            XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""), mode)
            try dbQueue.close()
        }
    }

    func testPatchesAreTheDifferencesOfLists() throws {
        let dbQueue = try makeDatabase()
        let tool = try watch(
            "SELECT name, score FROM player ORDER BY score DESC", "--format", "json", "--patches", "--count",
            "4")
        XCTAssertEqual(
            try tool.line(), #"{"n":0,"rows":[{"name":"Ada","score":41},{"name":"Grace","score":29}]}"#)
        try write(dbQueue, "UPDATE player SET score = 50 WHERE name = 'Grace'")
        XCTAssertEqual(
            try tool.line(),
            #"{"n":1,"removed":[],"moved":[{"from":1,"to":0}],"inserted":[],"#
                + #""updated":[{"at":0,"row":{"name":"Grace","score":50}}]}"#)
        try write(dbQueue, "INSERT INTO player VALUES (7, 'Cleo', 45)")
        XCTAssertEqual(
            try tool.line(),
            #"{"n":2,"removed":[],"moved":[],"inserted":[{"at":1,"row":{"name":"Cleo","score":45}}],"updated":[]}"#
        )
        try write(dbQueue, "DELETE FROM player WHERE name = 'Ada'")
        XCTAssertEqual(try tool.line(), #"{"n":3,"removed":[2],"moved":[],"inserted":[],"updated":[]}"#)
        XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
    }

    func testVerboseWatchesSayWhatTheyDo() throws {
        #if !SQLite
            throw XCTSkip("the pages of files that may be encrypted are not read")
        #endif
        let rule = "each commit by another connection"
        for (mode, note) in [
            ("WAL", "the changes of \(rule) are known"),
            (
                "DELETE",
                "\(rule) counts as a change of the whole database: the database has no write-ahead log"
            ),
        ] {
            try? FileManager.default.removeItem(atPath: path)
            let dbQueue = try makeDatabase(journalMode: mode)
            let tool = try watch(names, "--format", "json", "--count", "3", "--verbose")
            _ = try tool.line()
            // The check that finds the first write has ended before the one that finds the second write.
            for id in 1...2 {
                try write(dbQueue, "DELETE FROM player WHERE id = \(id)")
                _ = try tool.line()
            }
            let error = try tool.end().error
            XCTAssertTrue(error.contains("vigil: note: \(note)\n"), error)
            XCTAssertTrue(error.contains("vigil: note: commit "), error)
            try dbQueue.close()
        }
    }

    func testPatchesNeedJSON() throws {
        try makeDatabase()
        for arguments in [
            ["--patches"], ["--patches", "--format", "csv"], ["--patches", "--format", "json", "--diff"],
        ] {
            let ending = try ToolProcess.run(["watch", path, names] + arguments)
            XCTAssertEqual(ending.status, 64)
            XCTAssertTrue(ending.error.contains("--patches"), ending.error)
        }
    }

    func testCSVRepeatsTheHeader() throws {
        let dbQueue = try makeDatabase()
        let tool = try watch(names, "--format", "csv", "--count", "2")
        XCTAssertEqual(try (0..<3).map { _ in try tool.line() }, ["id,name\r", "1,Ada\r", "2,Grace\r"])
        try write(dbQueue, "DELETE FROM player")
        XCTAssertEqual(try tool.end(), .init(status: 0, output: "\r\nid,name\r\n", error: ""))
    }

    func testTablesInPipesArePrintedAsBlocks() throws {
        let dbQueue = try makeDatabase()
        let tool = try watch(names, "--count", "2")
        XCTAssertEqual(
            try (0..<4).map { _ in try tool.line() }, ["id  name", "--  -----", " 1  Ada", " 2  Grace"])
        try write(dbQueue, "DELETE FROM player WHERE id = 2")
        XCTAssertEqual(
            try tool.end(), .init(status: 0, output: "\nid  name\n--  ----\n 1  Ada\n", error: ""))
    }

    func testUnchangedRowsAreNotPrintedAgain() throws {
        let dbQueue = try makeDatabase()
        let tool = try watch("SELECT score FROM player WHERE id = 1", "--format", "json", "--count", "2")
        XCTAssertEqual(try tool.line(), #"{"n":0,"rows":[{"score":41}]}"#)
        try write(dbQueue, "INSERT INTO team VALUES ('red')")
        try write(dbQueue, "UPDATE player SET score = 1 WHERE id = 2")
        try write(dbQueue, "UPDATE player SET score = score WHERE id = 1")
        try write(dbQueue, "UPDATE player SET score = 42 WHERE id = 1")
        XCTAssertEqual(try tool.line(), #"{"n":1,"rows":[{"score":42}]}"#)
        XCTAssertEqual(try tool.end().status, 0)
    }

    func testNoInitialPrintsOnlyChanges() throws {
        let dbQueue = try makeDatabase()
        // The other watch confirms each change. The changes continue until the silent watch has read its
        // initial rows and prints one of them.
        let silent = try watch(
            "SELECT score FROM player WHERE id = 1", "--format", "json", "--no-initial", "--count", "1")
        let other = try watch("SELECT score FROM player WHERE id = 1", "--format", "json")
        XCTAssertEqual(try other.line(), #"{"n":0,"rows":[{"score":41}]}"#)
        var score = 42
        while !silent.hasEnded {
            try write(dbQueue, "UPDATE player SET score = \(score) WHERE id = 1")
            XCTAssertTrue(try other.line().hasSuffix(#""rows":[{"score":\#(score)}]}"#))
            score += 1
        }
        let ending = try silent.end()
        XCTAssertEqual(ending.status, 0)
        XCTAssertTrue(ending.output.hasPrefix(#"{"n":1,"rows":[{"score":"#), ending.output)
        XCTAssertFalse(ending.output.contains(#""score":41}"#), ending.output)
    }

    func testValuesAreBoundInOrder() throws {
        try makeDatabase()
        let values = ["12", "-1.5", "NULL", "text:12", "x'0aff'", "a'b", "007"]
        let ending = try ToolProcess.run(
            ["watch", path, "SELECT ? a, ? b, ? c, ? d, ? e, ? f, ? g", "--format", "json", "--count", "1"]
                + values)
        XCTAssertEqual(
            ending.output,
            #"{"n":0,"rows":[{"a":12,"b":-1.5,"c":null,"d":"12","e":{"base64":"Cv8="},"f":"a'b","g":"007"}]}"#
                + "\n")
        XCTAssertEqual(ending.status, 0)
    }

    func testUnobservableQueryPrintsNote() throws {
        try makeDatabase()
        let ending = try ToolProcess.run(["watch", path, "SELECT 1 a", "--format", "csv", "--count", "1"])
        XCTAssertEqual(ending.output, "a\r\n1\r\n")
        XCTAssertEqual(
            ending.error,
            "vigil: note: the query reads no table that is observed: there is nothing to wait for\n")
    }

    func testAlteredTablesAreFetchedAgain() throws {
        let dbQueue = try makeDatabase()
        let tool = try watch("SELECT * FROM team", "--format", "csv", "--count", "2")
        XCTAssertEqual(try tool.line(), "name\r")
        try write(dbQueue, "ALTER TABLE team ADD COLUMN city; INSERT INTO team VALUES ('red', 'Rome')")
        XCTAssertEqual(try tool.end().output, "\r\nname,city\r\nred,Rome\r\n")
    }

    func testErrorAfterInitialRowsEndsWatch() throws {
        let dbQueue = try makeDatabase()
        let tool = try watch(names, "--format", "json")
        _ = try tool.line()
        try write(dbQueue, "DROP TABLE player")
        XCTAssertEqual(
            try tool.end(), .init(status: 1, output: "", error: "vigil: error: no such table: player\n"))
    }

    func testWatchLeavesNoFiles() throws {
        try makeDatabase().close()
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        _ = try ToolProcess.run(["watch", path, names, "--count", "1"])
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), before)
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), data)
    }
}
