import BenchmarkWork
import GRDB

/// Opens databases and creates observations with GRDB, as its documentation recommends or with its most
/// obvious API.
public struct Library: Sendable {
    private let tracksConstantRegions: Bool

    /// GRDB as its documentation recommends.
    public static let best = Library(tracksConstantRegions: true)
    /// GRDB with `ValueObservation.tracking` for all observations.
    public static let tracking = Library(tracksConstantRegions: false)

    let noticesForeignWrites = false

    func configuration() throws -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(Schema.busySeconds)
        return configuration
    }

    func observeForeignWrites(_ configuration: inout Configuration) {}

    /// Returns an observation, with a constant region if enabled, which a pool fetches concurrently with the
    /// writer.
    func observation<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation<ValueReducers.Fetch<Value>> {
        tracksConstantRegions ? .trackingConstantRegion(fetch) : .tracking(fetch)
    }

    /// Returns an observation of rows as an array.
    func rows(
        _ sql: String, _ arguments: StatementArguments, _ activity: Activity
    ) -> ValueObservation<ValueReducers.Fetch<[ListedRow]>> {
        observation { db in
            activity.fetches.increment()
            return try ListedRow.fetchAll(db, sql: sql, arguments: arguments)
        }
    }

    /// Returns an observation of one row. Unless the region is given, it contains all rows of the table.
    func observation<Value: Sendable>(
        ofPlayer id: Int64, _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation<ValueReducers.Fetch<Value>> {
        tracksConstantRegions
            ? .tracking(region: Table("player").filter(key: id), fetch: fetch) : .tracking(fetch)
    }
}
