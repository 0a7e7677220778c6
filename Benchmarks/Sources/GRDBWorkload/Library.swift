import BenchmarkWork
import GRDB

/// GRDB, as its documentation recommends to use it, or with what one gets without reading that far.
public struct Library: Sendable {
    private let tracksConstantRegions: Bool

    public static let best = Library(tracksConstantRegions: true)
    public static let tracking = Library(tracksConstantRegions: false)

    let noticesForeignWrites = false

    func configuration() throws -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(Schema.busySeconds)
        return configuration
    }

    func observeForeignWrites(_ configuration: inout Configuration) {}

    /// A constant region lets a pool fetch beside the writer.
    func observation<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation<ValueReducers.Fetch<Value>> {
        tracksConstantRegions ? .trackingConstantRegion(fetch) : .tracking(fetch)
    }

    /// With a region that knows the row: from SQL, the region is all rows.
    func observation<Value: Sendable>(
        ofPlayer id: Int64, _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation<ValueReducers.Fetch<Value>> {
        tracksConstantRegions
            ? .tracking(region: Table("player").filter(key: id), fetch: fetch) : .tracking(fetch)
    }
}
