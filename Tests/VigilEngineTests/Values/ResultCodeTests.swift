import VigilEngine
import XCTest

final class ResultCodeTests: XCTestCase {
    private func caught(_ code: ResultCode) -> String {
        do {
            throw DatabaseError(resultCode: code)
        } catch DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY {
            return "foreign key"
        } catch ResultCode.SQLITE_CONSTRAINT {
            return "constraint"
        } catch DatabaseError.SQLITE_MISUSE {
            return "misuse"
        } catch {
            return "other"
        }
    }

    func testPrimaryCodeCatchesItsExtendedCodes() {
        XCTAssertEqual(caught(.SQLITE_CONSTRAINT_FOREIGNKEY), "foreign key")
        XCTAssertEqual(caught(.SQLITE_CONSTRAINT_UNIQUE), "constraint")
        XCTAssertEqual(caught(.SQLITE_CONSTRAINT), "constraint")
        XCTAssertEqual(caught(.SQLITE_MISUSE), "misuse")
        XCTAssertEqual(caught(.SQLITE_BUSY), "other")
    }

    func testPatternDoesNotCatchOtherErrors() {
        XCTAssertFalse(ResultCode.SQLITE_ERROR ~= (CancellationError() as any Error))
    }

    func testCodesCanBeMatchedBySwitch() {
        func name(_ code: ResultCode) -> String {
            switch code {
            case .SQLITE_BUSY_SNAPSHOT: "snapshot"
            case .SQLITE_BUSY: "busy"
            default: "other"
            }
        }
        XCTAssertEqual(name(.SQLITE_BUSY_SNAPSHOT), "snapshot")
        XCTAssertEqual(name(.SQLITE_BUSY_TIMEOUT), "busy")
        XCTAssertEqual(name(.SQLITE_LOCKED), "other")
    }

    func testErrorsCanBeMatchedBySwitch() {
        let error = DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK)
        switch error {
        case DatabaseError.SQLITE_CONSTRAINT_UNIQUE: XCTFail("not unique")
        case DatabaseError.SQLITE_CONSTRAINT: break
        default: XCTFail("not matched")
        }
        switch error.resultCode {
        case .SQLITE_CONSTRAINT: break
        default: XCTFail("not matched")
        }
    }

    func testExtendedCodeMatchesOnlyItself() {
        XCTAssertFalse(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= .SQLITE_CONSTRAINT)
        XCTAssertFalse(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= .SQLITE_CONSTRAINT_CHECK)
        XCTAssertNotEqual(ResultCode.SQLITE_CONSTRAINT, .SQLITE_CONSTRAINT_UNIQUE)
        XCTAssertEqual(ResultCode.SQLITE_CONSTRAINT_UNIQUE.primaryResultCode, .SQLITE_CONSTRAINT)
    }

    func testCodesHaveTheNumbersOfSQLite() {
        XCTAssertEqual(ResultCode.SQLITE_NOTADB.rawValue, 26)
        XCTAssertEqual(ResultCode.SQLITE_DONE.rawValue, 101)
        XCTAssertEqual(ResultCode.SQLITE_CONSTRAINT_FOREIGNKEY.rawValue, 787)
        XCTAssertEqual(ResultCode.SQLITE_IOERR_CORRUPTFS.rawValue, 8458)
        XCTAssertEqual(ResultCode.SQLITE_ABORT_ROLLBACK.rawValue, 516)
        XCTAssertEqual(ResultCode.SQLITE_READONLY_DIRECTORY.rawValue, 1544)
    }

    func testDescriptionContainsTheMeaningOfTheCode() {
        XCTAssertEqual("\(ResultCode.SQLITE_CONSTRAINT)", "19 (constraint failed)")
        XCTAssertEqual("\(ResultCode.SQLITE_CONSTRAINT_UNIQUE)", "2067 (constraint failed)")
        XCTAssertEqual("\(ResultCode.SQLITE_ABORT_ROLLBACK)", "516 (abort due to ROLLBACK)")
        XCTAssertEqual("\(ResultCode(rawValue: 99))", "99 (unknown error)")
    }
}
