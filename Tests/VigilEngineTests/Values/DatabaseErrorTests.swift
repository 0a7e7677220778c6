import Foundation
import VigilEngine
import VigilStorage
import XCTest

final class DatabaseErrorTests: XCTestCase {
    func testDescriptionContainsCodeMessageAndSQL() {
        let error = DatabaseError(
            resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "not unique", sql: " \n INSERT …; ;\n",
            arguments: ["secret"])
        XCTAssertEqual(error.description, "SQLite error 19: not unique - while executing `INSERT …`")
        XCTAssertEqual(
            error.expandedDescription,
            #"SQLite error 19: not unique - while executing `INSERT …` with arguments ["secret"]"#)
    }

    func testDescriptionContainsPublicArguments() {
        let error = DatabaseError(sql: "SELECT ?", arguments: [1], publicStatementArguments: true)
        XCTAssertEqual(
            error.description,
            "SQLite error 1: SQL logic error - while executing `SELECT ?` with arguments [1]")
        XCTAssertEqual(error.description, error.expandedDescription)
    }

    func testEmptyArgumentsAreOmitted() {
        XCTAssertEqual(
            DatabaseError(resultCode: .SQLITE_FULL, arguments: []).expandedDescription,
            "SQLite error 13: database or disk is full")
    }

    func testMessageDefaultsToTheMeaningOfTheCode() {
        XCTAssertEqual(DatabaseError(resultCode: .SQLITE_BUSY).message, "database is locked")
        XCTAssertEqual(DatabaseError().resultCode, .SQLITE_ERROR)
    }

    func testErrorHasPrimaryAndExtendedCode() {
        let error = DatabaseError(resultCode: .SQLITE_IOERR_READ)
        XCTAssertEqual(error.resultCode, .SQLITE_IOERR)
        XCTAssertEqual(error.extendedResultCode, .SQLITE_IOERR_READ)
    }

    func testInterruptionsAreRecognized() {
        for code: ResultCode in [.SQLITE_INTERRUPT, .SQLITE_ABORT, .SQLITE_ABORT_ROLLBACK] {
            XCTAssertTrue(DatabaseError(resultCode: code).isInterruptionError)
        }
        XCTAssertFalse(DatabaseError(resultCode: .SQLITE_BUSY).isInterruptionError)
    }

    func testBackendErrorKeepsCodeMessageAndSQL() {
        let storageError = StorageError(.wrongKey, "wrong key", sql: "SELECT 1")
        let error = DatabaseError(storageError, sql: "SELECT 1; SELECT 2", arguments: [1])
        XCTAssertEqual(error.extendedResultCode.rawValue, 282)
        XCTAssertEqual(error.resultCode, .SQLITE_NOTADB)
        XCTAssertEqual(error.message, "wrong key")
        XCTAssertEqual(error.sql, "SELECT 1")
        XCTAssertEqual(error.arguments, [1])
        XCTAssertEqual(DatabaseError(StorageError(.busy, ""), sql: "COMMIT").sql, "COMMIT")
    }

    func testErrorIsBridgedToFoundation() {
        let error = DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "no")
        XCTAssertEqual(DatabaseError.errorDomain, "Vigil.DatabaseError")
        XCTAssertEqual(error.errorCode, 275)
        XCTAssertEqual(error.localizedDescription, "SQLite error 19: no")
        XCTAssertEqual(error.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String, "no")
    }
}
