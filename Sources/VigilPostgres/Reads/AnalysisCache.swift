import VigilStorage

/// The analyses of queries by text, types of parameters and session, as long as the version of the reported
/// tables stays the same.
///
/// An analysis on the server uses a transaction number, which other feeds notice as a commit. If queries were
/// analysed again and again, fetches in response could repeat without end. An entry is therefore replaced by
/// another only if it was not used for ``minimumAge``, and after a failure that may pass, nothing is analysed
/// for a pause.
///
/// A value without a clock.
struct AnalysisCache {
    typealias Instant = ContinuousClock.Instant

    struct Key: Hashable {
        var sql: String
        var types: [UInt32]
        var identity: SessionIdentity

        /// Equivalent characters of Unicode are different characters of a constant or of a name.
        static func == (a: Key, b: Key) -> Bool {
            a.sql.isIdentical(to: b.sql) && a.types == b.types && a.identity == b.identity
        }
    }

    enum Answer: Equatable {
        case known(QueryAnalysis)
        /// Analyse the query, and call ``didAnalyse(_:_:version:at:)``.
        case analyse
        case unknown(reason: String)
        /// The reads are unknown for a moment.
        case unavailable(reason: String)
    }

    private struct Entry {
        var analysis: QueryAnalysis
        var lastUse: Instant
    }

    static let capacity = 1_000
    static let minimumAge = Duration.seconds(10)

    private var entries: [Key: Entry] = [:]
    private var version = -1
    private var retries = Retries.analysis
    private var retryTime: Instant?

    var count: Int { entries.count }

    /// Returns what is known of a query.
    ///
    /// - Parameter version: the version of the reported tables, see ``ReportedTables``.
    mutating func look(up key: Key, version: Int, at now: Instant) -> Answer {
        if version != self.version {
            guard version > self.version else {
                return .unknown(reason: "the schema has changed in the meantime")
            }
            entries = [:]
            self.version = version
        }
        if let entry = entries[key] {
            entries[key]?.lastUse = now
            return .known(entry.analysis)
        }
        if let retryTime, now < retryTime {
            return .unavailable(reason: "the server could not analyse queries a moment ago")
        }
        if entries.count >= Self.capacity {
            entries = entries.filter { $0.value.lastUse.duration(to: now) < Self.minimumAge }
            guard entries.count < Self.capacity else {
                return .unknown(reason: "more than \(Self.capacity) different queries are observed")
            }
        }
        return .analyse
    }

    /// Stores an analysis, unless the version has changed since it was requested.
    ///
    /// - Returns: whether it is valid.
    mutating func didAnalyse(_ key: Key, _ analysis: QueryAnalysis, version: Int, at now: Instant) -> Bool {
        retries.didSucceed()
        guard version == self.version else { return false }
        entries[key] = Entry(analysis: analysis, lastUse: now)
        return true
    }

    /// Records a failure that may pass, such as a locked table.
    mutating func didFail(at now: Instant) { retryTime = now + retries.didFail() }
}
