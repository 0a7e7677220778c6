import VigilStorage
import VigilTesting
import XCTest

/// The real backends satisfy the contract in both journal modes.
final class SQLiteContractTests: XCTestCase {
    private func assertKeepsContract(_ journalMode: StorageOptions.JournalMode) throws {
        for named in NamedBackend.all {
            let directory = try TemporaryDirectory()
            let numbers = Counter()
            let contract = BackendContract(backend: JournalBackend(base: named.backend, mode: journalMode)) {
                .file(path: directory.file("\(numbers.next())-\($0)"))
            }
            var lacking: [String] = []
            for check in BackendContract.allChecks {
                do {
                    if try contract.run(check) != .passed { lacking.append(check.name) }
                } catch {
                    XCTFail("\(named.name), \(journalMode): \(check): \(error)")
                }
            }
            XCTAssertEqual(lacking, try expectedlyLacking(named.backend, journalMode), named.name)
        }
    }

    /// Capabilities missing from the libraries: SQLite lacks the pre-update hook, readers need a write-ahead
    /// log, and the checks of servers do not apply.
    private func expectedlyLacking(_ backend: any StorageBackend, _ mode: StorageOptions.JournalMode) throws
        -> [String]
    {
        let capabilities = try backend.open(.memory(name: nil), options: StorageOptions()).capabilities
        var names = ["failureAbortsTheTransaction"]
        if mode == .unchanged {
            names += ["uncommittedChangesAreInvisible", "snapshotIsStable", "runningReadIsStable"]
        }
        names.append("conflictingWriteIsBusy")
        if !capabilities.reportsRowImages {
            names += ["imagesShowTheRow", "replacementReportsEveryRow", "emptyingReportsEveryRow"]
        }
        return names + [
            "feedReportsCommits", "feedCommitIsVisible", "feedKeepsCommitsTogether", "feedIgnoresRollbacks",
            "cancelledFeedIsSilent",
        ]
    }

    func testTheContractIsKeptWithARollbackJournal() throws {
        try assertKeepsContract(.unchanged)
    }

    func testTheContractIsKeptWithAWriteAheadLog() throws {
        try assertKeepsContract(.wal)
    }
}

private final class Counter {
    private var last = 0

    func next() -> Int {
        last += 1
        return last
    }
}

/// A backend that opens every database in a given journal mode.
private struct JournalBackend: ForwardingBackend {
    let base: any StorageBackend
    let mode: StorageOptions.JournalMode

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        var options = options
        options.journalMode = mode
        return try base.open(location, options: options)
    }
}
