import Vigil

/// All that the page shows of the database: a list, aggregates and the values of a chart.
///
/// ``fetch(_:)`` reads everything in one access, so the parts always stem from the same commit.
struct Board: Equatable, Sendable {
    struct Totals: Decodable, FetchableRecord, Equatable, Sendable {
        var runs: Int
        var runners: Int
        var meters: Int
        var longest: Int
    }

    struct Runner: Decodable, FetchableRecord, Equatable, Sendable {
        var name: String
        var runs: Int
        var meters: Int
    }

    static let listLength = 8
    static let chartLength = 8

    var latest: [Run]
    var totals: Totals
    /// The runners with the longest distances.
    var runners: [Runner]

    static func fetch(_ db: Database) throws -> Board {
        Board(
            latest: try Run.order(Column("id").desc).limit(listLength).fetchAll(db),
            totals: try Totals.fetchOne(
                db,
                sql: """
                    SELECT count(*) AS runs, count(DISTINCT runner) AS runners,
                        coalesce(sum(meters), 0) AS meters, coalesce(max(meters), 0) AS longest
                    FROM run
                    """) ?? Totals(runs: 0, runners: 0, meters: 0, longest: 0),
            runners: try Runner.fetchAll(
                db,
                sql: """
                    SELECT runner AS name, count(*) AS runs, sum(meters) AS meters
                    FROM run GROUP BY runner ORDER BY meters DESC, name LIMIT ?
                    """, arguments: [chartLength]))
    }
}
