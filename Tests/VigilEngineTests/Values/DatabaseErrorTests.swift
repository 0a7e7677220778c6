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

    func testEmptySQLIsOmitted() {
        for sql in ["", " ;\n"] {
            XCTAssertEqual(DatabaseError(message: "empty", sql: sql).description, "SQLite error 1: empty")
        }
        XCTAssertEqual(StorageError(.misuse, "empty", sql: "").description, "error 21: empty")
    }

    func testDescriptionNamesTheDatabaseSystem() {
        var error = StorageError(.cannotOpen, "connection refused")
        XCTAssertEqual(DatabaseError(error).description, "SQLite error 14: connection refused")
        error.systemName = "PostgreSQL"
        XCTAssertEqual(DatabaseError(error).description, "PostgreSQL error: connection refused")
        error.sqlState = "28P01"
        XCTAssertEqual(DatabaseError(error).description, "PostgreSQL error 28P01: connection refused")
    }

    func testARemedyIsPartOfTheDebugDescriptionOnly() {
        let error = DatabaseError(resultCode: .SQLITE_READONLY, message: "no", sql: "DELETE").advising("wait")
        XCTAssertEqual(error.message, "no")
        XCTAssertEqual("\(error)", "SQLite error 8: no - while executing `DELETE`")
        XCTAssertEqual(error.expandedDescription, error.description)
        XCTAssertEqual(error.localizedDescription, error.description)
        XCTAssertEqual(
            String(reflecting: error), "SQLite error 8: no (wait) - while executing `DELETE`")
        XCTAssertEqual(error.errorUserInfo[NSLocalizedRecoverySuggestionErrorKey] as? String, "wait")
    }

    func testTheDebugDescriptionWithoutRemedyIsTheDescription() {
        for isPublic in [false, true] {
            let error = DatabaseError(
                sql: "SELECT ?", arguments: ["secret"], publicStatementArguments: isPublic)
            XCTAssertEqual(error.debugDescription, error.description)
            XCTAssertEqual(error.debugDescription.contains("secret"), isPublic)
            XCTAssertNil(error.errorUserInfo[NSLocalizedRecoverySuggestionErrorKey])
        }
    }

    func testErrorsOfVigilHaveNames() throws {
        for (code, name) in [
            (StorageError.Code.connectionLost, ResultCode.CONNECTION_LOST), (.fileMoved, .FILE_MOVED),
            (.fileMoved, .SQLITE_READONLY_DBMOVED), (.wrongKey, .WRONG_KEY), (.notEncrypted, .NOT_ENCRYPTED),
            (.encryptionUnavailable, .ENCRYPTION_UNAVAILABLE), (.libraryUnavailable, .LIBRARY_UNAVAILABLE),
            (.cipherFeatureUnavailable, .CIPHER_FEATURE_UNAVAILABLE),
        ] {
            XCTAssertEqual(code.rawValue, name.rawValue, "\(name)")
            XCTAssertNotEqual(name.text, name.primaryResultCode.text)
        }
        do {
            throw DatabaseError(StorageError(.wrongKey, ""))
        } catch DatabaseError.NOT_ENCRYPTED {
            XCTFail("another code")
        } catch DatabaseError.WRONG_KEY {}
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
