import VigilSQLite
import XCTest

final class WriteAheadLogTests: XCTestCase {
    func testFramesNameThePagesOfBothStates() throws {
        var frames = WALFrames(pageSize: 512, salts: 7)
        try append(&frames, page: 2)
        try append(&frames, page: 3, commitSize: 3)
        XCTAssertEqual(Set(frames.changedPages), [2, 3])
        XCTAssertNil(frames.oldFrame(of: 2))
        XCTAssertEqual(frames.newFrame(of: 2), 1)
        frames.accept()
        try append(&frames, page: 2, commitSize: 4)
        XCTAssertEqual(Set(frames.changedPages), [2])
        XCTAssertEqual(frames.oldFrame(of: 2), 1)
        XCTAssertEqual(frames.newFrame(of: 2), 3)
        XCTAssertEqual(frames.newFrame(of: 3), 2)
        XCTAssertEqual(frames.offset(ofFrame: 3), 32 + 2 * 536)
        XCTAssertEqual(frames.pageOffset(ofFrame: 3), 32 + 2 * 536 + 24)
    }

    func testOnlyAFrameAfterTheEndOfATransactionMayRepeatIt() throws {
        var frames = WALFrames(pageSize: 512, salts: 7)
        let appended: [(page: UInt32, commitSize: UInt32, mayRepeat: Bool)] = [
            (2, 0, false), (2, 3, false), (2, 3, true), (2, 4, false), (3, 4, false), (3, 0, false),
            (3, 4, false), (3, 4, true),
        ]
        for (page, commitSize, mayRepeat) in appended {
            try append(&frames, page: page, commitSize: commitSize)
            XCTAssertEqual(frames.mayRepeatFrame, mayRepeat, "frame \(frames.lastFrame)")
        }
    }

    func testFramesOfAnotherLogAreErrors() throws {
        var frames = WALFrames(pageSize: 512, salts: 7)
        XCTAssertThrowsError(try append(&frames, page: 2, salts: 8))
        XCTAssertThrowsError(try append(&frames, page: 0))
        XCTAssertEqual(frames.lastFrame, 0)
    }

    func testHeaderIsReadOnlyIfBothCopiesAndTheChecksumFit() throws {
        let database = try PageDatabase("CREATE TABLE t(x); INSERT INTO t VALUES (1);")
        let bytes = try database.indexHeader()
        let header = try XCTUnwrap(bytes.withUnsafeBytes { WALIndexHeader($0) })
        XCTAssertEqual(header.pageSize, 4096)
        XCTAssertEqual(header.pageCount, 2)
        XCTAssertEqual(bytes.withUnsafeBytes { WALIndexHeader.backfilledFrames($0) }, 0)
        for offset in 0..<96 where !(4..<8).contains(offset % 48) {
            var damaged = bytes
            damaged[offset] ^= 1
            XCTAssertNil(damaged.withUnsafeBytes { WALIndexHeader($0) }, "\(offset)")
            // The same in both copies.
            damaged[(offset + 48) % 96] ^= 1
            XCTAssertNil(damaged.withUnsafeBytes { WALIndexHeader($0) }, "\(offset)")
        }
        XCTAssertNil(bytes.prefix(135).withUnsafeBytes { WALIndexHeader($0) })
        try database.connection.run("PRAGMA wal_checkpoint(FULL)")
        let later = try database.indexHeader()
        XCTAssertEqual(later.withUnsafeBytes { WALIndexHeader.backfilledFrames($0) }, header.lastFrame)
    }

    private func append(
        _ frames: inout WALFrames, page: UInt32, commitSize: UInt32 = 0, salts: UInt64 = 7
    ) throws {
        var header: [UInt8] = []
        withUnsafeBytes(of: page.bigEndian) { header += $0 }
        withUnsafeBytes(of: commitSize.bigEndian) { header += $0 }
        withUnsafeBytes(of: salts) { header += $0 }
        header += Array(repeating: 0, count: 8)
        try header.withUnsafeBytes { try frames.append(frameHeader: $0) }
    }
}
