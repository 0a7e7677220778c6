/// Decides how to find the commits of other connections in the write-ahead log.
///
/// It compares headers of the log's index, without holding a lock or a snapshot. The commits after a known
/// state can be read from the log if all their frames, and the previous contents of their pages, still exist.
/// Two things can destroy them:
/// - A *restart* makes the log begin again. If it restarts once, after the known state was copied to the
///   database file as a whole, nothing is lost. Each commit increments a counter, so that a commit in the old
///   log after the known state is noticed: the new log has fewer commits than the counter says.
/// - A *checkpoint* overwrites pages of the database file. The previous content of a page is in the log, or
///   in the file as long as no checkpoint has copied a later frame of the page.
///
/// Both are checked after the pages were read, by ``isIntact(_:base:now:copied:reads:)``.
///
/// A value without I/O. Its driver is ``LogFollower``.
struct LogMachine {
    /// The frames to read for the commits after the known state.
    struct Range: Equatable {
        /// The log that contains the commits.
        var salts: UInt64
        /// The last frame of the known state; 0 if that is in the database file.
        var base: UInt32
        var end: UInt32
        /// The number of commits in the range.
        var commits: UInt32
    }

    enum Decision: Equatable {
        /// There are no commits.
        case nothing
        /// Read the frames of the range, then call ``isIntact(_:base:now:copied:reads:)`` and
        /// ``didReport()``.
        case read(Range)
        /// Any row may have changed. Call ``didReport()``.
        case lost(String)
    }

    /// The number of bytes of frames that are worth reading.
    static let byteLimit = 64 << 20
    static let commitLimit: UInt32 = 2000

    /// All commits up to this state are known.
    private(set) var known: WALIndexHeader?
    private(set) var mark: WALIndexHeader?

    mutating func didMark(_ header: WALIndexHeader?) { mark = header }

    /// Handles that all commits up to the mark are known.
    mutating func didSkip() {
        // Without a mark, own commits after the known state are reported again.
        if let mark { known = mark }
    }

    /// Forgets the known state, because there is another log, or none.
    mutating func forget() { known = nil }

    /// Decides how to find the commits after the known state, up to the mark.
    func decide() -> Decision {
        guard let mark else { return .lost("the write-ahead log cannot be read") }
        guard let known else { return .lost("the state before the commit is not known") }
        if known == mark { return .nothing }
        let commits = mark.changeCounter &- known.changeCounter
        let isRestarted = known.salts != mark.salts
        // The first log after a time without one has new salts.
        if isRestarted, known.lastFrame > 0, Self.restarts(from: known, to: mark) != 1 {
            return .lost("the log restarted several times")
        }
        let base = isRestarted ? 0 : known.lastFrame
        guard mark.lastFrame >= base, commits <= mark.lastFrame - base else {
            return .lost("commits are missing in the log")
        }
        guard commits <= Self.commitLimit, Int(mark.lastFrame - base) * mark.pageSize <= Self.byteLimit else {
            return .lost("too many commits at once")
        }
        return .read(Range(salts: mark.salts, base: base, end: mark.lastFrame, commits: commits))
    }

    /// The pages that were read from the database file while frames after the known state were read.
    struct FileReads {
        private var pages: Set<UInt32> = []
        /// The first frame of each page after the known state.
        private var firstFrames: [UInt32: UInt32] = [:]
        private var lastFrame: UInt32 = 0

        mutating func didRead(_ page: UInt32) { pages.insert(page) }

        /// Handles the next frame after the known state.
        mutating func didFind(_ frame: UInt32, of page: UInt32) {
            if firstFrames[page] == nil { firstFrames[page] = frame }
            lastFrame = frame
        }

        /// Returns whether no page was overwritten by a checkpoint of the frames up to `copied`.
        fileprivate func areIntact(copied: UInt32) -> Bool {
            if pages.isEmpty { return true }
            // Frames that were not read may be of any page.
            return copied <= lastFrame && pages.allSatisfy { firstFrames[$0].map { $0 > copied } ?? true }
        }
    }

    /// Returns whether the frames of a range, and all previous contents of their pages, existed until now.
    ///
    /// - Parameters:
    ///   - header: the header after all pages were read.
    ///   - copied: the number of frames that checkpoints have begun to copy to the file, read with it.
    ///   - reads: the pages that were read from the file; `nil` if that can be any page.
    static func isIntact(
        _ salts: UInt64, base: UInt32, now header: WALIndexHeader?, copied: UInt32, reads: FileReads?
    ) -> Bool {
        guard let header, header.salts == salts else { return false }
        return copied <= base || reads?.areIntact(copied: copied) == true
    }

    /// Handles that all commits up to the mark were reported, by rows or as a change of the database.
    mutating func didReport() { known = mark }

    /// The number of restarts of the log. Each one increments the first salt, in big endian.
    private static func restarts(from old: WALIndexHeader, to new: WALIndexHeader) -> UInt32 {
        firstSalt(new) &- firstSalt(old)
    }

    private static func firstSalt(_ header: WALIndexHeader) -> UInt32 {
        withUnsafeBytes(of: header.salts) { UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) }
    }
}
