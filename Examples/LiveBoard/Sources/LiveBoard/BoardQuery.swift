import Vigil

/// A query that a browser can observe.
///
/// A browser chooses a query and its values. It never sends SQL: values are arguments of statements.
enum BoardQuery: Hashable, Sendable {
    /// Everything that the page shows.
    case board
    /// The newest runs, of all runners or of one.
    case runs(runner: String?, limit: Int?)
    /// The number of runs of a runner, and their distance.
    case total(runner: String)

    static let longestName = 200

    /// The reason why a query is refused.
    struct Invalid: Error {
        let message: String
    }

    /// Validates a query for runs.
    static func runs(runner: String?, limit: String?) throws(Invalid) -> BoardQuery {
        var count: Int?
        if let limit {
            count = Int(limit)
            guard let count, 1...1000 ~= count else {
                throw Invalid(message: "The limit must be a number from 1 to 1000.")
            }
        }
        if let runner { try check(runner) }
        return .runs(runner: runner?.storedName, limit: count)
    }

    /// Validates a query for a total.
    static func total(of runner: String?) throws(Invalid) -> BoardQuery {
        guard let runner else { throw Invalid(message: "Name a runner: ?runner=Ada") }
        try check(runner)
        return .total(runner: runner.storedName)
    }

    private static func check(_ runner: String) throws(Invalid) {
        guard runner.count <= longestName else {
            throw Invalid(message: "A name has at most \(longestName) characters.")
        }
        // A server of PostgreSQL stores no zero byte, and refuses it in each fetch.
        guard !runner.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Invalid(message: "A name has no control characters.")
        }
    }

    /// Returns the newest runs, of all runners or of one.
    static func newestRuns(of runner: String?, limit: Int?) -> QueryInterfaceRequest<Run> {
        var runs = Run.order(Column("id").desc)
        if let runner { runs = runs.filter(Column("runner") == runner) }
        return limit.map { runs.limit($0) } ?? runs
    }
}

/// The number of runs of a runner, and their distance.
struct RunnerTotal: Codable, FetchableRecord, Equatable, Sendable {
    var runs: Int
    var meters: Int

    static func fetch(_ db: Database, runner: String) throws -> RunnerTotal {
        try RunnerTotal.fetchOne(
            db, sql: "SELECT count(*) AS runs, coalesce(sum(meters), 0) AS meters FROM run WHERE runner = ?",
            arguments: [runner]) ?? RunnerTotal(runs: 0, meters: 0)
    }
}
