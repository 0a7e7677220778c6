import Vigil
import VigilRandomSQL

/// The library and the kind of database that a world is observed in, and the available information about
/// changes.
struct OracleSetting {
    /// The available information about changes and queries.
    enum Knowledge: String, CaseIterable {
        case columns = "columns only"
        case images = "columns, images"
        case conditions = "columns, images, conditions"
    }

    let name: String
    var backend: any StorageBackend
    let isPool: Bool
    var knowledge = Knowledge.conditions
    var hazards: [Hazard] = []
    /// Whether another connection writes to the file too.
    var hasOtherWriter = false
    /// Whether a feed reports the commits of all connections to the pool.
    private(set) var hasFeed = false
    /// The number of statements that each connection keeps: many, none, or so few that they replace each
    /// other.
    var keptStatementCount = 100

    /// Whether the rows of results are kept until they may have changed, and not their contributions.
    var keepsRows = false

    /// The numbers of kept statements, which the seeds of worlds alternate between.
    static let keptStatementCounts = [100, 0, 2]

    var description: String {
        "\(name) \(isPool ? "pool" : "queue"), \(knowledge.rawValue)\(hasOtherWriter ? ", another writer" : "")"
            + (hasFeed ? ", feed" : "") + hazards.map { ", \($0)" }.joined()
            + (keptStatementCount == 100 ? "" : ", \(keptStatementCount) kept statements")
    }

    /// The name of the second database. It is not `temp` in a pool, whose readers do not share temporary
    /// tables.
    var second: String { isPool ? "other" : "temp" }

    /// - Parameter seed: the seed of the clock that the rounds of a pool pause by.
    func open(_ directory: String, seed: UInt64) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.backend = backend
        configuration.maximumReaderCount = 2
        configuration.maximumKeptStatementCount = keptStatementCount
        // Results of cheap statements may be kept too.
        if keepsRows {
            (configuration.leastLiveCost, configuration.leastLivePageCount) = (.max, -1)
        } else {
            configuration.leastLiveCost = 0
        }
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("forbid", argumentCount: 1, pure: true) { values in
                    guard let number = Int.fromDatabaseValue(values[0]), number > 3 else { return values[0] }
                    throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "forbidden")
                })
        }
        if hasOtherWriter { configuration.foreignChanges = .observed }
        switch knowledge {
        case .conditions: break
        case .images:
            configuration.backend = AlteredBackend(base: backend, reportsImages: true)
        case .columns:
            configuration.ignoresNoOpUpdates = false
            configuration.backend = AlteredBackend(base: backend, reportsImages: false)
        }
        guard isPool else { return try DatabaseQueue(configuration: configuration) }
        let other = directory + "/other.sqlite"
        let main = directory + "/main.sqlite"
        // Readers cannot create the files. One connection creates both, so that they have the same
        // encryption.
        var alone = Configuration()
        alone.backend = backend
        try DatabaseQueue(path: main, configuration: alone).writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE first(a); ATTACH '\(other)' AS other;
                    PRAGMA other.journal_mode = WAL; CREATE TABLE other.first(a)
                    """)
        }
        configuration.prepareDatabase { db in try db.execute(sql: "ATTACH '\(other)' AS other") }
        return try DatabasePool(
            backend: configuration.backend ?? backend, location: .file(path: main),
            configuration: configuration,
            timer: JumpingTimer(seed: seed))
    }

    /// Opens another connection to the file of a pool.
    func openOther(_ directory: String) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.backend = backend
        return try DatabaseQueue(path: directory + "/main.sqlite", configuration: configuration)
    }

    /// The same setting with a feed.
    func withFeed() -> OracleSetting {
        var setting = self
        setting.backend = FedBackend(base: backend)
        setting.hasFeed = true
        return setting
    }

    static var all: [OracleSetting] {
        testedBackends.flatMap { name, backend in
            [false, true].map { OracleSetting(name: name, backend: backend, isPool: $0) }
        }
    }
}
