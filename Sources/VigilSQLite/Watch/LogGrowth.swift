/// Decides whether fetches leave time for checkpoints, because the write-ahead log does not begin again.
///
/// A checkpoint copies at most the frames of the oldest reader, and a commit begins the log again only if all
/// frames were copied and no reader uses the log. Fetches that follow each other closely prevent both. A log
/// that continues after a checkpoint shows that. Its length alone does not: one transaction can write any
/// number of frames, and programs choose when they begin a checkpoint.
///
/// If a rest does not help several times, the reader is another one, such as a long snapshot. Rests begin
/// again when the log has twice the length.
struct LogGrowth {
    /// The number of frames that commits of several writers may add during a checkpoint.
    static let tolerance: UInt32 = 250
    static let restLimit = 32

    private var salts: UInt64?
    /// The last frame above which the log waits for readers.
    private var limit: UInt32 = 0
    private var rests = 0

    /// Returns whether readers keep the log from beginning again. Each such answer causes a rest.
    ///
    /// - Parameter copied: the number of frames that checkpoints have copied.
    mutating func waitsForReaders(_ header: WALIndexHeader, copied: UInt32) -> Bool {
        guard copied > 0 else {
            salts = nil
            return false
        }
        if salts != header.salts {
            salts = header.salts
            limit = header.lastFrame &+ Self.tolerance
            rests = 0
        }
        guard header.lastFrame >= limit else { return false }
        rests += 1
        if rests > Self.restLimit {
            limit = header.lastFrame &* 2
            rests = 0
            return false
        }
        return true
    }
}
