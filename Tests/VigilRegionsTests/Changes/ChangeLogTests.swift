import VigilRegions
import VigilStorage
import XCTest

extension ChangeLog {
    fileprivate func isModified(_ region: DatabaseRegion, after commit: CommitNumber) -> Bool {
        lastModification(of: region, after: commit) != nil
    }
}

final class ChangeLogTests: XCTestCase {
    private let region = DatabaseRegion(table: "foo", rowIds: [1])

    private func change(_ rowID: Int64) -> ChangeSet {
        var set = ChangeSet()
        set.record(.insert("foo", rowID))
        return set
    }

    func testCommitsAreNumbered() {
        var log = ChangeLog(capacity: 10)
        XCTAssertEqual(log.last, .zero)
        let first = log.append(change(1))
        let second = log.append(ChangeSet())
        XCTAssertLessThan(CommitNumber.zero, first)
        XCTAssertLessThan(first, second)
        XCTAssertEqual(log.last, second)
        XCTAssertEqual(second.description, "2")
    }

    func testOnlyLaterCommitsModifyARegion() {
        var log = ChangeLog(capacity: 10)
        log.append(change(2))
        log.append(change(1))
        log.append(change(2))
        XCTAssertTrue(log.isModified(region, after: CommitNumber(rawValue: 0)))
        XCTAssertTrue(log.isModified(region, after: CommitNumber(rawValue: 1)))
        XCTAssertFalse(log.isModified(region, after: CommitNumber(rawValue: 2)))
        XCTAssertFalse(log.isModified(region, after: CommitNumber(rawValue: 3)))
    }

    func testNothingIsModifiedAfterTheLastCommit() {
        let log = ChangeLog(capacity: 10, last: CommitNumber(rawValue: 5))
        XCTAssertFalse(log.isModified(.fullDatabase, after: CommitNumber(rawValue: 5)))
        XCTAssertFalse(log.isModified(.fullDatabase, after: CommitNumber(rawValue: 6)))
    }

    func testEveryRegionIsModifiedIfTheLogDoesNotReachBack() {
        var log = ChangeLog(capacity: 3, last: CommitNumber(rawValue: 5))
        XCTAssertTrue(log.isModified(region, after: CommitNumber(rawValue: 4)))
        for _ in 0..<3 { log.append(change(2)) }
        XCTAssertFalse(log.isModified(region, after: CommitNumber(rawValue: 5)))
        log.append(change(2))
        XCTAssertTrue(log.isModified(region, after: CommitNumber(rawValue: 5)))
        XCTAssertFalse(log.isModified(region, after: CommitNumber(rawValue: 6)))
    }

    func testTheLastModificationIsTheLastCommitThatModifiedTheRegion() {
        var log = ChangeLog(capacity: 4)
        for row in [1, 1, 2] { log.append(change(Int64(row))) }
        XCTAssertEqual(log.lastModification(of: region, after: .zero), CommitNumber(rawValue: 2))
        XCTAssertEqual(
            log.lastModification(of: region, after: CommitNumber(rawValue: 1)), CommitNumber(rawValue: 2))
        XCTAssertNil(log.lastModification(of: region, after: CommitNumber(rawValue: 2)))
        // The log does not reach back to the first commit.
        for _ in 0..<2 { log.append(change(2)) }
        XCTAssertEqual(log.lastModification(of: region, after: .zero), log.last)
    }

    func testEveryRegionIsModifiedIfTheLogKeepsNoCommits() {
        var log = ChangeLog(capacity: 0)
        log.append(ChangeSet())
        XCTAssertTrue(log.isModified(region, after: .zero))
        XCTAssertFalse(log.isModified(region, after: log.last))
    }

    func testOlderCommitsForgetTheirRowsIfTheyAreMany() {
        func changes(_ rowIDs: Range<Int64>) -> ChangeSet {
            var set = ChangeSet()
            for rowID in rowIDs { set.record(.insert("foo", rowID), rowLimit: ChangeSet.listRowLimit) }
            return set
        }
        let size = Int64(ChangeSet.listRowLimit)
        let few = Int64(ChangeSet.defaultRowLimit)
        var log = ChangeLog(capacity: 10)
        log.append(changes(2..<2 + few))
        for number in 1...Int64(ChangeLog.rowLimit) / size {
            log.append(changes(number * size..<(number + 1) * size))
        }
        XCTAssertFalse(log.isModified(region, after: .zero))
        log.append(changes(size * 9..<size * 9 + few + 1))
        // The first large commit may now have changed any row, those after it have not.
        XCTAssertEqual(log.lastModification(of: region, after: .zero), CommitNumber(rawValue: 2))
        let table = TableName(name: "foo")
        let last = log.changes(after: CommitNumber(rawValue: log.last.rawValue - 1))
        XCTAssertEqual(last?[table]?.rowIDs?.count, Int(few) + 1)
        let all = log.changes(after: .zero)?[table]
        XCTAssertNotNil(all)
        XCTAssertNil(all?.rowIDs)
    }

    func testALogOfAnySizeFindsTheLastCommitOfARow() {
        for capacity in 1...5 {
            var log = ChangeLog(capacity: capacity)
            for number in 1...20 {
                log.append(change(number.isMultiple(of: 3) ? 1 : 2))
                for back in 0...min(capacity, number) {
                    let hasMultiple = number / 3 > (number - back) / 3
                    XCTAssertEqual(
                        log.isModified(region, after: CommitNumber(rawValue: UInt64(number - back))),
                        hasMultiple, "capacity \(capacity), \(back) before \(number)")
                }
            }
        }
    }
}
