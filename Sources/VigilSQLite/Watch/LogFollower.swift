import CVigilSQLite
package import VigilStorage

/// Finds the rows changed by commits in the write-ahead log, as ``LogMachine`` decides.
///
/// It uses the descriptors and the shared memory of its connection: no file is opened, nothing is written,
/// and no lock is taken. It is used inside accesses of the connection only.
final class LogFollower {
    /// The maximum number of rows of a table to report for a commit.
    private static let rowLimit = 1000
    private static let noLog = "the database has no write-ahead log"

    private unowned let connection: SQLiteConnection
    private var machine = LogMachine()
    private var growth = LogGrowth()
    /// The map of the pages in the state `mapped`; `nil` before a map is made.
    private var map: PageMap?
    private var mapped: WALIndexHeader?
    fileprivate private(set) var frames: WALFrames
    /// The b-trees of the schema, with the version of the schema.
    private var trees: (cookie: UInt32, trees: [TrackedTree])?
    /// Whether a map has not been attempted since the last change of the database that was not understood.
    private var needsMap = true
    /// The number of pages of a file that has more than a map may have.
    private var refusedSize: UInt32?
    /// The number of pages of a file with too many long rows to search. A smaller one is searched again.
    private var refusedSearch: UInt32?
    /// The reason for not reading the index of a log; `nil` once the connection has opened a log.
    private var missingLog: String? = LogFollower.noLog
    /// Whether there is a log, and no other database is attached.
    private var isFollowed = true
    /// The reason for a missing map; `nil` before the first attempt to make one.
    private var reason: String?
    /// The pages that were read from the file for the current report; `nil` while all pages are read.
    private var reads: LogMachine.FileReads?

    init(_ connection: SQLiteConnection) {
        self.connection = connection
        frames = WALFrames(pageSize: 512, salts: 0)
    }

    var state: CommitFeedState {
        if map != nil { return .precise }
        return reason.map { .coarse(reason: $0) } ?? .starting
    }

    var knowsCurrentState: Bool {
        guard isFollowed, map != nil || !needsMap, !connection.schemas.hasAttached,
            let known = machine.known
        else { return false }
        return readHeader()?.header == known
    }

    /// Whether frames follow the known state. They precede the commit, so that without them, a later commit
    /// begins with a write to the log.
    var hasCommitInProgress: Bool? {
        #if canImport(Darwin)
            // Writes to a new log cause no hint until it is watched.
            return nil
        #else
            guard isFollowed, !connection.schemas.hasAttached, let known = machine.known else { return nil }
            guard let found = readHeader(), found.header == known else { return true }
            // The next commit may begin the log again, with other salts.
            if found.copied == known.lastFrame { return nil }
            let next = WALFrames(pageSize: known.pageSize, salts: known.salts)
                .offset(ofFrame: known.lastFrame &+ 1)
            return withUnsafeTemporaryAllocation(byteCount: WALFrames.frameHeaderSize, alignment: 8) {
                bytes in
                // Frames of an earlier log, which is overwritten, have other salts.
                (try? read(bytes, fromLog: true, at: next)) != nil
                    && bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == known.salts
            }
        #endif
    }

    /// Returns whether readers keep the log from beginning again. Call it once for each check.
    func logWaitsForReaders() -> Bool {
        guard isFollowed, let found = readHeader(), let header = found.header else { return false }
        return growth.waitsForReaders(header, copied: found.copied)
    }

    var progress: LogProgress? {
        lookForLog()
        guard missingLog == nil, let found = readHeader(), let header = found.header else { return nil }
        return LogProgress(lastFrame: header.lastFrame, copiedFrame: found.copied)
    }

    private func lookForLog() {
        // Other connections cannot change the mode of an open log.
        guard missingLog != nil else { return }
        // With a rollback journal, looking for the index of a log would create one, also if the connection
        // has opened the log in the exclusive locking mode: its index is then in private memory.
        guard (try? connection.journalMode()) == "wal" else { return missingLog = Self.noLog }
        let mode = try? connection.query("PRAGMA main.locking_mode").first?.first
        missingLog = mode == .text("normal") ? nil : "the locking mode is not normal"
    }

    func mark() {
        lookForLog()
        isFollowed = missingLog == nil && !hasAttached
        if !isFollowed { machine.forget() }
        // In a snapshot, the token does not count the commits after it, so that they must not become known.
        machine.didMark(isFollowed && !connection.holdsSnapshot ? readWrittenHeader() : nil)
    }

    /// Forgets the known state: the next log has nothing to do with it.
    func journalModeWillChange() {
        missingLog = Self.noLog
        isFollowed = false
        machine.forget()
    }

    func skip() { machine.didSkip() }

    func report(to report: (ChangeEvent) -> Void) -> String? {
        switch machine.decide() {
        case .nothing: break
        case .lost(let reason): return fail(reason)
        case .read(let range):
            guard map != nil else { return fail(reason ?? "no commit has been read yet") }
            reads = LogMachine.FileReads()
            defer { reads = nil }
            var failure: PageError?
            do throws(PageError) {
                try bringMap(to: range)
                try read(range, to: report)
            } catch {
                failure = error
                noteSearch(error)
            }
            // Otherwise the pages belong to different states.
            guard isIntact(range.salts, base: range.base) else {
                return fail("a checkpoint has copied the commit")
            }
            if let failure { return fail(failure.description) }
            mapped = machine.mark
        }
        machine.didReport()
        return nil
    }

    private func fail(_ reason: String) -> String {
        machine.didReport()
        // Each attempt would read the inner pages again.
        forgetMap(refusedSize == nil ? reason : PageError.tooManyPages.description)
        needsMap = refusedSize == nil
        return reason
    }

    private func noteSearch(_ error: PageError) {
        if error == .tooManyLongRows { refusedSearch = machine.known?.pageCount ?? 0 }
    }

    private func forgetMap(_ reason: String) {
        map = nil
        mapped = nil
        self.reason = reason
    }

    // MARK: - The map

    /// Makes a map of the known state, unless one exists.
    func prepare() {
        guard isFollowed else {
            forgetMap(hasAttached ? "databases are attached" : missingLog ?? Self.noLog)
            needsMap = true
            return
        }
        guard map == nil, let known = machine.known else { return }
        if let size = refusedSize, known.pageCount < size {
            refusedSize = nil
            needsMap = true
        }
        guard needsMap else { return }
        needsMap = false
        if let obstacle {
            reason = obstacle
            return
        }
        do throws(PageError) {
            try makeMap(of: known, salts: known.salts, frame: known.lastFrame)
        } catch {
            forgetMap(error.description)
            if case .tooManyPages = error { refusedSize = known.pageCount }
        }
    }

    /// The property of the connection that keeps its pages from being read.
    private var obstacle: String? {
        if connection.isPrivate || connection.givenPath == nil { return "the database is not in a file" }
        return connection.capabilities.cipherVersion == nil ? nil : "the file is encrypted"
    }

    /// Whether another file is attached: the token does not say which of them was changed.
    private var hasAttached: Bool {
        connection.schemas.hasAttached && (try? connection.attachedLocations())?.isEmpty != true
    }

    /// - Parameter frame: the last frame of the state in the current log; 0 if the state is in the file.
    private func makeMap(of state: WALIndexHeader, salts: UInt64, frame: UInt32) throws(PageError) {
        // Too many pages to remember them.
        reads = nil
        frames = WALFrames(pageSize: try pageSize(), salts: salts)
        try appendFrames(to: frame)
        frames.accept()
        let pageCount = try pageCount(frame == 0 ? nil : state)
        let source = LogPages(self, isNew: false, pageCount: pageCount)
        defer { source.releasePages() }
        let cookie = try DatabaseState(source).schemaCookie
        let searches = refusedSearch.map { state.pageCount < $0 } ?? true
        map = try PageMap(trees: readTrees(cookie), source: source, searchesLongRows: searches)
        mapped = state
        guard isIntact(salts, base: frame) else { throw .unreadable(1) }
    }

    private func readTrees(_ cookie: UInt32) throws(PageError) -> [TrackedTree] {
        if let trees, trees.cookie == cookie { return trees.trees }
        var found: [TrackedTree] = []
        do throws(StorageError) {
            guard try schemaCookie() == cookie else { throw StorageError(.error, "") }
            found = try TrackedTree.all(owners: owners()) { sql throws(StorageError) in
                try connection.query(sql)
            }
            guard try schemaCookie() == cookie else { throw StorageError(.error, "") }
        } catch {
            throw .changedSchema
        }
        trees = (cookie, found)
        return found
    }

    private func schemaCookie() throws(StorageError) -> UInt32 {
        UInt32(truncatingIfNeeded: try connection.schemaVersion(of: "main"))
    }

    /// Returns the virtual tables of all tables that may be theirs by name: modules choose the suffixes.
    private func owners() throws(StorageError) -> [String: TableName] {
        let virtual = try connection.virtualNames(in: "main")
        guard !virtual.isEmpty else { return [:] }
        var owners: [String: TableName] = [:]
        for name in try connection.objectNames([.table], in: "main") {
            let folded = name.foldedName
            let owner = virtual.filter { folded.hasPrefix($0.foldedName + "_") }.max { $0.count < $1.count }
            if let owner { owners[folded] = TableName(name: owner) }
        }
        return owners
    }

    // MARK: - Commits

    /// Advances the map to the known state, over commits with known changes.
    private func bringMap(to range: LogMachine.Range) throws(PageError) {
        guard let known = machine.known else { return }
        if mapped != known {
            guard try advanceMap(to: known, in: range) else {
                return try makeMap(of: known, salts: range.salts, frame: range.base)
            }
        } else if known.salts != range.salts {
            frames = WALFrames(pageSize: try pageSize(), salts: range.salts)
        }
    }

    /// Returns whether the map was advanced to the known state by reading its changes.
    private func advanceMap(to known: WALIndexHeader, in range: LogMachine.Range) throws(PageError) -> Bool {
        guard let mapped, mapped.salts == range.salts, known.salts == range.salts else { return false }
        do throws(PageError) {
            let old = LogPages(
                self, isNew: false, pageCount: try pageCount(mapped.lastFrame == 0 ? nil : mapped))
            try appendFrames(to: range.base)
            try reportCommit(from: old, to: known.pageCount, limit: 0) { _ in }
        } catch {
            noteSearch(error)
            return false
        }
        self.mapped = known
        return isIntact(range.salts, base: mapped.lastFrame)
    }

    private func read(_ range: LogMachine.Range, to report: (ChangeEvent) -> Void) throws(PageError) {
        var commits: UInt32 = 0
        var copies: UInt32 = 0
        var old = LogPages(
            self, isNew: false, pageCount: try pageCount(range.base == 0 ? nil : machine.known))
        while frames.lastFrame < range.end {
            let pageCount = try appendFrame()
            guard pageCount > 0 else { continue }
            if frames.mayRepeatFrame, try lastFrameIsCopy() {
                copies += 1
                frames.accept()
                continue
            }
            commits += 1
            try reportCommit(from: old, to: pageCount, limit: Self.rowLimit, report)
            old = LogPages(self, isNew: false, pageCount: pageCount)
        }
        // A copy can also be a commit without a change. After a restart of the log, it must not make up for a
        // commit in the previous one.
        let limit = machine.known?.salts == range.salts ? commits + copies : commits
        guard commits <= range.commits, range.commits <= limit, frames.changedPages.isEmpty else {
            throw .missingCommits
        }
    }

    /// Returns whether the last two frames have the same content.
    private func lastFrameIsCopy() throws(PageError) -> Bool {
        let size = frames.pageSize
        return try withUnsafeTemporaryAllocation(byteCount: 2 * size, alignment: 8) {
            bytes throws(PageError) in
            let first = UnsafeMutableRawBufferPointer(rebasing: bytes[..<size])
            let second = UnsafeMutableRawBufferPointer(rebasing: bytes[size...])
            try read(first, fromLog: true, at: frames.pageOffset(ofFrame: frames.lastFrame - 1))
            try read(second, fromLog: true, at: frames.pageOffset(ofFrame: frames.lastFrame))
            return UnsafeRawBufferPointer(first).isIdentical(to: UnsafeRawBufferPointer(second))
        }
    }

    /// Reports the changes in the new frames.
    private func reportCommit(
        from old: LogPages, to pageCount: UInt32, limit: Int, _ report: (ChangeEvent) -> Void
    ) throws(PageError) {
        let new = LogPages(self, isNew: true, pageCount: pageCount)
        defer {
            old.releasePages()
            new.releasePages()
        }
        try map?.reportChanges(of: frames.changedPages, from: old, to: new, limit: limit, report: report)
        frames.accept()
    }

    // MARK: - Files

    private func appendFrames(to last: UInt32) throws(PageError) {
        while frames.lastFrame < last { _ = try appendFrame() }
    }

    /// Appends the next frame. Returns the number of pages if it ends a commit, or 0.
    private func appendFrame() throws(PageError) -> UInt32 {
        try withUnsafeTemporaryAllocation(byteCount: WALFrames.frameHeaderSize, alignment: 8) {
            bytes throws(PageError) in
            try read(bytes, fromLog: true, at: frames.offset(ofFrame: frames.lastFrame + 1))
            let header = UnsafeRawBufferPointer(bytes)
            try frames.append(frameHeader: header)
            let fields = PageBytes(header)
            reads?.didFind(frames.lastFrame, of: try fields.uint32(at: 0))
            return try fields.uint32(at: 4)
        }
    }

    fileprivate func readPage(
        _ number: UInt32, isNew: Bool, into bytes: UnsafeMutableRawBufferPointer
    ) throws(PageError) {
        if let frame = isNew ? frames.newFrame(of: number) : frames.oldFrame(of: number) {
            try read(bytes, fromLog: true, at: frames.pageOffset(ofFrame: frame))
        } else {
            reads?.didRead(number)
            try read(bytes, fromLog: false, at: (Int64(number) - 1) * Int64(bytes.count))
        }
    }

    private func read(
        _ bytes: UnsafeMutableRawBufferPointer, fromLog: Bool, at offset: Int64
    ) throws(PageError) {
        guard let handle = connection.handle, let start = bytes.baseAddress,
            vigil_sqlite_read(connection.api, handle, fromLog ? 1 : 0, start, Int32(bytes.count), offset) != 0
        else { throw .unreadable(0) }
    }

    /// Returns the format and the size of the database file.
    private func fileHeader() throws(PageError) -> (format: DatabaseFormat, size: Int64) {
        guard let handle = connection.handle else { throw .unreadable(1) }
        var header = [UInt8](repeating: 0, count: DatabaseFormat.headerSize)
        let size = vigil_sqlite_read_header(connection.api, handle, &header, Int32(header.count))
        guard let format = header.withUnsafeBytes({ DatabaseFormat(header: $0) }) else {
            throw .unknownFormat
        }
        return (format, size)
    }

    private func pageSize() throws(PageError) -> Int { try fileHeader().format.pageSize }

    /// Returns the number of pages in a state; `nil` stands for the state in the file.
    private func pageCount(_ state: WALIndexHeader?) throws(PageError) -> UInt32 {
        if let state { return state.pageCount }
        let (format, size) = try fileHeader()
        guard let count = UInt32(exactly: size / Int64(format.pageSize)) else { throw .malformed }
        return count
    }

    /// Returns the header of the log's index, after a writer of it has ended: it writes for less than a
    /// microsecond, unless it is suspended.
    private func readWrittenHeader() -> WALIndexHeader? {
        for _ in 0..<100 {
            guard let found = readHeader() else { return nil }
            if let header = found.header { return header }
        }
        return nil
    }

    private func readHeader() -> (header: WALIndexHeader?, copied: UInt32)? { connection.readLogIndex() }

    private func isIntact(_ salts: UInt64, base: UInt32) -> Bool {
        // A restart of the log first changes the header, and then forgets the copied frames.
        guard let copied = readHeader()?.copied else { return false }
        return LogMachine.isIntact(
            salts, base: base, now: readWrittenHeader(), copied: copied, reads: reads)
    }
}

/// The pages of a state, before or after the new frames of a follower.
private final class LogPages: PageSource {
    /// The maximum number of bytes of pages in memory.
    private static let memoryLimit = 64 << 20

    private unowned let follower: LogFollower
    private let isNew: Bool
    let pageCount: UInt32
    /// The pages returned since they were last released.
    private var pages: [UInt32: UnsafeMutableRawBufferPointer] = [:]

    init(_ follower: LogFollower, isNew: Bool, pageCount: UInt32) {
        self.follower = follower
        self.isNew = isNew
        self.pageCount = pageCount
    }

    deinit { releasePages() }

    func page(_ number: UInt32) throws(PageError) -> UnsafeRawBufferPointer {
        if let page = pages[number] { return UnsafeRawBufferPointer(page) }
        guard number >= 1, number <= pageCount else { throw .unreadable(number) }
        let pageSize = follower.frames.pageSize
        guard pages.count * pageSize < Self.memoryLimit else { throw .tooManyPages }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 8)
        do throws(PageError) {
            try follower.readPage(number, isNew: isNew, into: bytes)
        } catch {
            bytes.deallocate()
            throw .unreadable(number)
        }
        pages[number] = bytes
        return UnsafeRawBufferPointer(bytes)
    }

    func releasePages() {
        for page in pages.values { page.deallocate() }
        pages.removeAll(keepingCapacity: pages.count < 100)
    }
}

extension SQLiteConnection: ForeignCommitReading {
    private var follower: LogFollower {
        if let follower = journal.follower { return follower }
        let follower = LogFollower(self)
        journal.follower = follower
        return follower
    }

    package var knowsCurrentState: Bool {
        // Otherwise, taking the token throws.
        guard (try? checkLogIsInPlace()) != nil else { return false }
        return follower.knowsCurrentState
    }

    package func markCommits() { follower.mark() }

    package func skipMarkedCommits() { follower.skip() }

    package func reportMarkedCommits(to report: (ChangeEvent) -> Void) -> String? {
        follower.report(to: report)
    }

    package var hasCommitInProgress: Bool? { follower.hasCommitInProgress }

    package func logWaitsForReaders() -> Bool { follower.logWaitsForReaders() }

    package func logProgress() -> LogProgress? { follower.progress }

    package func prepareForForeignCommits() { follower.prepare() }

    package var foreignCommitState: CommitFeedState { follower.state }
}
