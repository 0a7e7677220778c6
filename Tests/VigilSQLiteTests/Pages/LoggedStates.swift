import Foundation
import VigilSQLite
import VigilStorage
import XCTest

/// A copy of all pages of one state of a file.
final class FileState: PageSource {
    let pageSize: Int
    var pageCount: UInt32
    let bytes: UnsafeMutableRawBufferPointer
    private(set) var readCount = 0
    /// Copies of the pages that were returned since they were last released.
    private var returned: [UInt32: UnsafeMutableRawBufferPointer] = [:]
    private var unused: [UnsafeMutableRawBufferPointer] = []

    init(_ content: [UInt8], pageSize: Int, pageCount: Int) {
        self.pageSize = pageSize
        self.pageCount = UInt32(pageCount)
        bytes = .allocate(byteCount: max(1, pageCount * pageSize), alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        bytes.copyBytes(from: content.prefix(pageCount * pageSize))
    }

    deinit {
        bytes.deallocate()
        for page in unused + returned.values { page.deallocate() }
    }

    func page(_ number: UInt32) throws(PageError) -> UnsafeRawBufferPointer {
        guard number >= 1, number <= pageCount, Int(number) * pageSize <= bytes.count else {
            throw .unreadable(number)
        }
        readCount += 1
        if let page = returned[number] { return UnsafeRawBufferPointer(page) }
        let start = (Int(number) - 1) * pageSize
        let page = unused.popLast() ?? .allocate(byteCount: pageSize, alignment: 8)
        page.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + pageSize]))
        returned[number] = page
        return UnsafeRawBufferPointer(page)
    }

    /// Overwrites the returned pages, so that their later use is noticed.
    func releasePages() {
        for page in returned.values {
            page.initializeMemory(as: UInt8.self, repeating: 0xff)
            unused.append(page)
        }
        returned = [:]
    }

    func setPage(_ number: UInt32, _ content: ArraySlice<UInt8>) {
        let start = (Int(number) - 1) * pageSize
        guard start + pageSize <= bytes.count else { return }
        UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + pageSize]).copyBytes(from: content)
    }

    func copy() -> FileState {
        FileState(Array(bytes), pageSize: pageSize, pageCount: Int(pageCount))
    }
}

/// Reads the states of a file from its write-ahead log.
///
/// It opens the files by name, which is harmless only because the process has no transaction of its own.
final class LoggedStates {
    private let path: String
    private var frames: WALFrames?
    private var salts: UInt64 = 0

    init(path: String) {
        self.path = path
    }

    /// Returns the current state, and the pages in the frames since the last call.
    func next() throws -> (state: FileState, changed: Set<UInt32>) {
        let index = try Array(Data(contentsOf: URL(fileURLWithPath: path + "-shm")))
        let header = try XCTUnwrap(index.withUnsafeBytes { WALIndexHeader($0) })
        let log = try Array(Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
        if frames == nil || salts != header.salts {
            frames = WALFrames(pageSize: header.pageSize, salts: header.salts)
            salts = header.salts
        }
        var frames = try XCTUnwrap(frames)
        while frames.lastFrame < header.lastFrame {
            let offset = Int(frames.offset(ofFrame: frames.lastFrame + 1))
            try log[offset...].withUnsafeBytes { try frames.append(frameHeader: $0) }
        }
        let database = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        let state = FileState(database, pageSize: header.pageSize, pageCount: Int(header.pageCount))
        for page in 1...max(1, header.pageCount) {
            guard let frame = frames.newFrame(of: page) else { continue }
            let offset = Int(frames.pageOffset(ofFrame: frame))
            state.setPage(page, log[offset..<offset + header.pageSize])
        }
        let changed = Set(frames.changedPages)
        frames.accept()
        self.frames = frames
        return (state, changed)
    }
}
