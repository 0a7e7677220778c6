/// The name of a scenario. Names are stable, so that figures of different versions can be compared.
///
/// The first words of a name name its group: `plain-write` selects `plain-write-memory` and the
/// others.
public enum ScenarioName: String, CaseIterable, Codable, Sendable {
    case plainWriteMemory = "plain-write-memory"
    case plainWriteQueue = "plain-write-queue"
    case plainWritePool = "plain-write-pool"
    case plainReadMemory = "plain-read-memory"
    case plainReadQueue = "plain-read-queue"
    case plainReadPool = "plain-read-pool"
    case oneObservationMemorySQL = "one-observation-memory-sql"
    case oneObservationQueueSQL = "one-observation-queue-sql"
    case oneObservationPoolSQL = "one-observation-pool-sql"
    case oneObservationMemoryRecord = "one-observation-memory-record"
    case oneObservationQueueRecord = "one-observation-queue-record"
    case oneObservationPoolRecord = "one-observation-pool-record"
    case plainRecordsInsert = "plain-records-insert"
    case plainRecordsUpdate = "plain-records-update"
    case plainRecordsFetch = "plain-records-fetch"
    case plainRecordsFetchAll = "plain-records-fetch-all"
    case writeBaseline = "write-baseline"
    case unrelatedWrites = "unrelated-writes"
    case oneRowHit = "one-row-hit"
    case predicateHit = "predicate-hit"
    case equalObservations = "equal-observations"
    case avoidable
    case burst
    case bulkTransaction = "bulk-transaction"
    case poolContention = "pool-contention"
    case poolContentionPaced = "pool-contention-paced"
    case slowNeighbour = "slow-neighbour"
    case start
    case startChurn = "start-churn"
    case notificationLatency = "notification-latency"
    case foreignWriteLatency = "foreign-write-latency"
    case foreignRows = "foreign-rows"
    case decodeRows = "decode-rows"
    case decodeRecords = "decode-records"
    case decodeInitRow = "decode-init-row"
    case decodeMacro = "decode-macro"
    case fetchByKey = "fetch-by-key"
    case insertRecords = "insert-records"
    case insertMacro = "insert-macro"
    case updateRecords = "update-records"
    case requestBuild = "request-build"
    case memory
    case streamMemory = "stream-memory"
    case scale
    case listUpdate = "list-update"
    case listMove = "list-move"
    case listMany = "list-many"
    case listEqual = "list-equal"
    case listBulk = "list-bulk"
    case listStart = "list-start"
    case listJoin = "list-join"
    case listBurst = "list-burst"
    case listDiff = "list-diff"
    case sectionDiff = "section-diff"
    case listMemory = "list-memory"
    case windowOutside = "window-outside"
    case windowInside = "window-inside"
    case windowUnindexed = "window-unindexed"
    case windowRefill = "window-refill"
    case countFilter = "count-filter"
    case groupUpdate = "group-update"
    case groupTop = "group-top"
    case dashboard
    case unreadCounts = "unread-counts"
    case joinCount = "join-count"
    case serverWrite = "server-write"
    case serverInsert = "server-insert"
    case serverRead = "server-read"
    case serverRows = "server-rows"
    case serverRecords = "server-rows-records"
    case serverFirstRow = "server-first-row"
    case serverObserve = "server-observe"
    case serverLatency = "server-latency"
    case serverMatch = "server-match"
}

/// A kind of work that is measured, at several sizes.
public struct Scenario: Sendable {
    public let name: ScenarioName
    /// The unit of the figure, such as `ns per write`.
    public let unit: String
    /// The noun that `n` counts, such as `observations`.
    public let sizeName: String
    /// The values of `n` in a full run.
    public let sizes: [Int]
    /// The values of `n` in a short run, which only shows that everything works.
    public let quickSizes: [Int]
    /// A description of what the scenario measures.
    public let measures: String
    /// A description of what the figure does not include.
    public let leavesOut: String
    /// The form in which the scenario passes SQL to the library.
    public let statements: StatementForm
    /// Whether a run measures the scenario without being asked for it.
    public var runsByDefault = true
    /// The maximum duration of a round, in seconds. A round that takes longer is reported as absent.
    public var roundTimeout = 180.0

    /// The names of the scenarios that a run measures without being asked for them.
    public static var standard: [ScenarioName] { all.filter(\.runsByDefault).map(\.name) }

    /// The scenarios whose name is a name, or begins with it: `plain-write` is the first words of three
    /// names.
    public static func names(beginningWith words: String) -> [ScenarioName] {
        ScenarioName.allCases.filter { $0.rawValue == words || $0.rawValue.hasPrefix(words + "-") }
    }

    /// Returns the scenario of the table ``all``.
    public static func named(_ name: ScenarioName) -> Scenario {
        guard let scenario = all.first(where: { $0.name == name }) else {
            preconditionFailure("the table of scenarios has no \(name.rawValue)")
        }
        return scenario
    }
}

/// The form in which a scenario passes SQL to a library.
public enum StatementForm: Sendable {
    /// SQL strings, as in `db.execute(sql:arguments:)`.
    case sqlStrings
    /// SQL strings, and in the fetches of observations requests by primary key.
    case sqlStringsAndRequests
    /// Records and requests, whose SQL the library generates.
    case generated
    /// Statements that the scenario takes from the library's cache, with `db.cachedStatement(sql:)`.
    case cached
    /// One SQL string for all rows, so that compiling it costs nothing per row.
    case once

    /// The line of a list that describes the form.
    public var text: String {
        switch self {
        case .sqlStrings: "SQL strings, no prepared statements"
        case .sqlStringsAndRequests:
            "an SQL string in the write and a request in the observation, no prepared statements"
        case .generated: "records and requests, no prepared statements"
        case .cached: "prepared statements, from db.cachedStatement(sql:)"
        case .once: "one SQL string for all rows"
        }
    }
}
