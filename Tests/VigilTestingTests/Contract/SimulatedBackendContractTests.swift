import VigilStorage
import VigilTesting
import XCTest

/// The simulation satisfies the contract with every combination of capabilities.
final class SimulatedBackendContractTests: XCTestCase {
    private let choices = [true, false]
    /// Commits are reported before they return.
    private static let feed = SimulatedFeedOptions(seed: 1, longestLag: 0)

    private func contract(_ backend: any StorageBackend) -> BackendContract {
        // The simulation gives its signs before the commit returns.
        BackendContract(backend: backend, timeout: .zero) { .file(path: $0) }
    }

    func testEveryCombinationOfCapabilitiesPasses() {
        for images in choices {
            for everyRow in choices {
                for readers in choices {
                    for token in choices {
                        let backend = SimulatedBackend(
                            reportsRowImages: images, reportsEveryRow: everyRow,
                            allowsConcurrentReaders: readers, hasForeignChangeToken: token)
                        let lacks = "images \(images), rows \(everyRow), readers \(readers), token \(token)"
                        for failure in contract(backend).runAll() { XCTFail("\(lacks): \(failure)") }
                    }
                }
            }
        }
    }

    /// The checks of servers, which promise less than a library. The tests of the PostgreSQL driver run them.
    private let checksOfServers = ["failureAbortsTheTransaction", "conflictingWriteIsBusy"]

    func testEveryOtherCheckAppliesToTheFullSimulation() throws {
        let contract = contract(SimulatedBackend(feed: Self.feed))
        let skipped = try BackendContract.allChecks.filter { try contract.run($0) != .passed }
        XCTAssertEqual(skipped.map(\.name), checksOfServers)
    }

    func testChecksThatNeedMissingCapabilitiesDoNotApply() throws {
        let backend = SimulatedBackend(
            reportsRowImages: false, reportsEveryRow: false, allowsConcurrentReaders: false,
            hasForeignChangeToken: false)
        let contract = contract(backend)
        let skipped = try BackendContract.allChecks.filter { try contract.run($0) != .passed }.map(\.name)
        XCTAssertEqual(
            skipped.filter { !checksOfServers.contains($0) },
            [
                "uncommittedChangesAreInvisible", "snapshotIsStable", "runningReadIsStable",
                "imagesShowTheRow", "replacementReportsEveryRow", "emptyingReportsEveryRow",
                "tokenDetectsForeignCommits", "tokenIgnoresOwnCommits", "feedReportsCommits",
                "feedCommitIsVisible", "feedKeepsCommitsTogether", "feedIgnoresRollbacks",
                "cancelledFeedIsSilent",
            ])
    }

    func testChecksHaveDifferentNames() {
        let names = BackendContract.allChecks.map(\.name)
        XCTAssertEqual(Set(names).count, names.count)
    }

    func testAFeedWithDelaysAndLossesPasses() {
        let feed = SimulatedFeedOptions(seed: 3, longestLag: 20, lossProbability: 0.2, coarseProbability: 0.2)
        let contract = BackendContract(backend: SimulatedBackend(feed: feed)) { .file(path: $0) }
        for failure in contract.runAll() { XCTFail("\(failure)") }
    }

    // MARK: Planted bugs

    private func contract(with bug: PlantedBug, precisely: Bool) -> BackendContract {
        var feed = Self.feed
        feed.reportsInvisibleCommits = bug == .feedReportsInvisibleCommits
        let backend = FaultyBackend(
            base: SimulatedBackend(reportsRowImages: precisely, reportsEveryRow: precisely, feed: feed),
            bug: bug)
        return contract(backend)
    }

    /// Returns the names of the checks that find a bug in a precise or a coarse simulation.
    private func checksThatFind(_ bug: PlantedBug, precisely: Bool = true) -> [String] {
        contract(with: bug, precisely: precisely).runAll().map(\.check.name)
    }

    func testLostDeletionsAreFound() {
        let found = checksThatFind(.losesDeletions)
        XCTAssertTrue(found.contains("deletionsAreReported"), "\(found)")
        XCTAssertTrue(found.contains("emptyingReportsEveryRow"), "\(found)")
        XCTAssertTrue(checksThatFind(.losesDeletions, precisely: false).contains("deletionsAreReported"))
    }

    func testMissingRollbackReportsAreFound() {
        let found = checksThatFind(.losesRollbacks)
        XCTAssertTrue(found.contains("rollbackIsReportedOnce"), "\(found)")
        XCTAssertTrue(found.contains("failedStatementReportsARollback"), "\(found)")
        XCTAssertTrue(found.contains("commitCanBeVetoed"), "\(found)")
    }

    func testLostDeletionsByReplaceAreFound() {
        let found = checksThatFind(.losesReplacedRows)
        XCTAssertEqual(found, ["replacedRowIsCovered", "replacementReportsEveryRow"])
        XCTAssertEqual(
            checksThatFind(.losesReplacedRows, precisely: false), ["replacedRowIsCovered"])
    }

    func testEveryBugIsFoundAndEveryCheckFindsOne() {
        var useless = BackendContract.allChecks
        var useful: [BackendContract.Check] = []
        for bug in PlantedBug.allCases {
            let contract = contract(with: bug, precisely: true)
            func finds(_ check: BackendContract.Check) -> Bool { (try? contract.run(check)) == nil }
            let found = useless.filter(finds)
            // Checks that have found other bugs run only until one of them finds this one, too.
            XCTAssertTrue(!found.isEmpty || useful.contains(where: finds), "no check finds \(bug)")
            useless.removeAll { check in found.contains { $0.name == check.name } }
            useful += found
        }
        XCTAssertEqual(useless.map(\.name), [], "checks that no bug makes fail")
    }

    func testBugsAreFoundByTheChecksForThem() throws {
        let expected: [(PlantedBug, String)] = [
            (.reportsOldKeyOnly, "keyChangeCoversBothKeys"), (.losesCoarseReports, "emptyingIsCovered"),
            (.retainsSink, "sinkIsNotRetained"), (.ignoresVeto, "commitCanBeVetoed"),
            (.reportsAllInterests, "interestIsRespected"), (.keepsReporting, "reportingEnds"),
            (.tokenCountsOwnCommits, "tokenIgnoresOwnCommits"),
            (.tokenIsConstant, "tokenDetectsForeignCommits"),
            (.asksNoBusyHandler, "busyHandlerIsAsked"), (.runsAgainAtEachStep, "runningReadIsStable"),
            (.neverHints, "hintArrives"), (.hintsAfterCancel, "cancelledWatchIsSilent"),
            (.losesInterruptions, "runningStatementIsInterrupted"),
            (.closesWithLiveStatements, "liveStatementsPreventClosing"),
            (.leavesLocksBehind, "closingRollsBack"), (.readsAtBegin, "snapshotBeginsWithTheFirstRead"),
            (.keepsNoSnapshot, "snapshotIsStable"), (.hidesReadColumns, "readsAreNamed"),
            (.forgetsSavepoints, "savepointSurvivesItsRollback"),
            (.runsOneStatementAtATime, "cellsBelongToTheRow"),
            (.inventsConditions, "conditionsAreNecessary"), (.inventsColumns, "conditionsNameWhatIsRead"),
            (.keepsOldConditions, "conditionsAreCurrent"),
            (.plansInAnotherOrder, "plansReturnTheSameRows"), (.plansFindNoRows, "plansFindRowsByTheirIDs"),
            (.plansLimitedResults, "plansNameAllDependencies"),
            (.reusesDefinitions, "definitionsAreNotReusable"),
            (.survivesErrorsInSpiteOfItsCapabilities, "failureAbortsTheTransaction"),
            (.excludesWritersInSpiteOfItsCapabilities, "conflictingWriteIsBusy"),
            (.feedLosesCommits, "feedReportsCommits"),
            (.feedReportsInvisibleCommits, "feedCommitIsVisible"),
            (.feedSplitsCommits, "feedKeepsCommitsTogether"),
            (.feedReportsRollbacks, "feedIgnoresRollbacks"),
            (.feedIgnoresCancel, "cancelledFeedIsSilent"),
        ]
        for (bug, name) in expected {
            let check = try XCTUnwrap(BackendContract.allChecks.first { $0.name == name }, name)
            XCTAssertThrowsError(
                try contract(with: bug, precisely: true).run(check), "\(name) does not find \(bug)")
        }
    }
}
