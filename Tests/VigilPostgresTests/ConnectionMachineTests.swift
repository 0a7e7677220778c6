import XCTest

@testable import VigilPostgres

final class ConnectionMachineTests: XCTestCase {
    func testCommandsRunWhileTheConnectionIsThere() {
        var machine = ConnectionMachine()
        for command in [.begin, .statement, .commit, .rollback] as [ConnectionMachine.Command] {
            XCTAssertEqual(machine.willRun(command), .run)
        }
        XCTAssertEqual(machine.generation, 0)
    }

    func testTheCommandAfterALossReconnects() {
        var machine = ConnectionMachine()
        machine.didLose(during: .statement, wasInTransaction: false)
        XCTAssertFalse(machine.isConnected)
        XCTAssertFalse(machine.hasLostTransaction)
        XCTAssertEqual(machine.willRun(.statement), .reconnect)
        // The server cannot be reached yet.
        XCTAssertEqual(machine.willRun(.begin), .reconnect)
        machine.didReconnect()
        XCTAssertEqual(machine.willRun(.begin), .run)
        XCTAssertEqual(machine.generation, 1)
    }

    func testALostTransactionFailsUntilItIsRolledBack() {
        var machine = ConnectionMachine()
        machine.didLose(during: .statement, wasInTransaction: true)
        XCTAssertTrue(machine.hasLostTransaction)
        XCTAssertEqual(machine.willRun(.statement), .fail(.transactionLost))
        XCTAssertEqual(machine.willRun(.begin), .fail(.transactionLost))
        XCTAssertEqual(machine.willRun(.rollback), .succeed)
        XCTAssertFalse(machine.hasLostTransaction)
        XCTAssertEqual(machine.willRun(.statement), .reconnect)
    }

    func testTheCommitOfALostTransactionFailsAndEndsIt() {
        var machine = ConnectionMachine()
        machine.didLose(during: .statement, wasInTransaction: true)
        XCTAssertEqual(machine.willRun(.commit), .fail(.transactionLost))
        XCTAssertEqual(machine.willRun(.begin), .reconnect)
    }

    func testATransactionIsOverIfItsBeginningOrEndWasLost() {
        for command in [.begin, .commit, .rollback] as [ConnectionMachine.Command] {
            var machine = ConnectionMachine()
            machine.didLose(during: command, wasInTransaction: command != .begin)
            XCTAssertFalse(machine.hasLostTransaction)
            XCTAssertEqual(machine.willRun(.begin), .reconnect)
        }
    }

    func testASnapshotThatCannotBeTakenAgainFailsUntilItIsRolledBack() {
        for isLost in [false, true] {
            var machine = ConnectionMachine()
            machine.didLose(during: .statement, wasInTransaction: true)
            XCTAssertEqual(machine.willRun(.rollback), .succeed)
            XCTAssertEqual(machine.willRun(.begin), .reconnect)
            machine.didReconnect()
            if isLost { machine.didLose(during: .begin, wasInTransaction: false) }
            machine.didLoseTransaction()
            XCTAssertTrue(machine.hasLostTransaction)
            XCTAssertEqual(machine.willRun(.statement), .fail(.transactionLost))
            XCTAssertEqual(machine.willRun(.rollback), .succeed)
            XCTAssertEqual(machine.willRun(.begin), .reconnect)
        }
    }

    func testAClosedConnectionStaysClosed() {
        for isLost in [false, true] {
            var machine = ConnectionMachine()
            if isLost { machine.didLose(during: .statement, wasInTransaction: true) }
            machine.close()
            XCTAssertEqual(machine.willRun(.rollback), .fail(.closed))
            machine.didReconnect()
            machine.didLose(during: .statement, wasInTransaction: true)
            machine.didLoseTransaction()
            XCTAssertEqual(machine.willRun(.begin), .fail(.closed))
            XCTAssertFalse(machine.hasLostTransaction)
        }
    }
}
