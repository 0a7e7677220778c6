import VigilSQLite
import VigilStorage
import XCTest

/// Damaged pages are errors: nothing traps, reads outside of a page, or runs for long.
final class PageFuzzTests: XCTestCase {
    func testDamagedPagesNeverTrap() throws {
        var random = SeededRandom.seeded()
        for format in [
            PageDatabase.Format(pageSize: 512), .init(pageSize: 512, autoVacuum: 1, encoding: "UTF-16le"),
            .init(pageSize: 1024, reservedBytes: 12),
        ] {
            let recorded = try RecordedChange(format)
            for round in 0..<RandomTestSettings.rounds(4) {
                let (old, new) = (recorded.old.copy(), recorded.new.copy())
                let isOld = random.once(in: 3)
                damage(isOld ? old : new, recorded.changed, &random)
                let errorCount = recorded.replay(from: old, to: new, limit: 1000)
                XCTAssertLessThanOrEqual(errorCount, 1, "seed \(random.seed), round \(round)")
            }
        }
    }

    func testDamagedPagesWithoutAnErrorAreReportedOrIrrelevant() throws {
        let recorded = try RecordedChange(PageDatabase.Format(pageSize: 512))
        XCTAssertEqual(recorded.replay(from: recorded.old, to: recorded.new, limit: 1000), 0)
        // Without its changes, the file does not fit to the list of changed pages.
        let truncated = recorded.new.copy()
        truncated.pageCount = 3
        XCTAssertEqual(recorded.replay(from: recorded.old, to: truncated, limit: 1000), 1)
    }

    func testDamagedHeadersNeverTrap() {
        var random = SeededRandom.seeded()
        for _ in 0..<RandomTestSettings.rounds(5_000) {
            let count = Int.random(in: 0...200, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if random.once(in: 2) {
                bytes.replaceSubrange(0..<min(16, count), with: "SQLite format 3\0".utf8)
            }
            bytes.withUnsafeBytes { bytes in
                _ = DatabaseFormat(header: bytes)
                _ = WALIndexHeader(bytes)
                _ = WALIndexHeader.backfilledFrames(bytes)
                var frames = WALFrames(pageSize: 512, salts: 0)
                try? frames.append(frameHeader: bytes)
            }
        }
    }

    private func damage(_ state: FileState, _ changed: Set<UInt32>, _ random: inout SeededRandom) {
        let pages = random.once(in: 2) ? Array(changed).sorted() : Array(1...state.pageCount)
        for _ in 0..<random.pick([1, 1, 2, 5, 50]) {
            let page = random.pick(pages)
            guard page <= state.pageCount else { continue }
            let start = (Int(page) - 1) * state.pageSize
            // Most of the structure is at the beginning of a page, and in its first cells.
            let offset = random.pick([random.pick(Array(0..<24)), random.pick(Array(0..<state.pageSize))])
            let isHeader = page == 1 && offset < 24
            if !isHeader { state.bytes[start + offset] = random.pick([0, 1, 2, 5, 10, 13, 127, 128, 255]) }
        }
        if random.once(in: 20) { state.pageCount = .random(in: 1...state.pageCount, using: &random) }
    }
}

/// Two states of a file with all kinds of pages, and the changed pages between them.
private struct RecordedChange {
    let old: FileState
    let new: FileState
    let changed: Set<UInt32>
    private let trees: [TrackedTree]

    init(_ format: PageDatabase.Format) throws {
        let database = try PageDatabase(
            format,
            """
            \(PageWriter.schema)
            INSERT INTO w SELECT x, id, id, y FROM a; INSERT INTO p SELECT zeroblob(y * 200), y, id FROM a;
            DELETE FROM p WHERE y = 49;
            """)
        let states = database.states()
        old = try states.next().state
        try database.connection.run(
            """
            BEGIN; UPDATE a SET x = x || 'longer' WHERE y < 3; DELETE FROM a WHERE id BETWEEN 100 AND 160;
            UPDATE w SET v = zeroblob(900) WHERE g % 60 = 1; DELETE FROM w WHERE g % 60 = 3;
            UPDATE p SET x = randomblob(length(x)) WHERE y = 40; INSERT INTO b(x, y) SELECT x, y FROM a; COMMIT
            """)
        (new, changed) = try states.next()
        trees = try TrackedTree.all { try database.connection.run($0) }
    }

    /// Follows the change twice, and returns the number of errors.
    func replay(from old: FileState, to new: FileState, limit: Int) -> Int {
        do {
            var map = try PageMap(trees: trees, source: old)
            try map.reportChanges(of: changed, from: old, to: new, limit: limit, report: read)
            try map.reportChanges(of: changed, from: new, to: old, limit: limit, report: read)
            return 0
        } catch {
            return 1
        }
    }

    private func read(_ event: ChangeEvent) {
        guard case .row(let change) = event, let images = change.images else { return }
        for column in images.columnNames.indices {
            _ = images.oldValue(at: column)?.value
            _ = images.newValue(at: column)?.value
        }
    }
}
