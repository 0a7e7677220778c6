import Dispatch
import Foundation
import Vigil
import VigilTestSupport
import XCTest

struct Player: Codable, Equatable, Hashable, Identifiable, Sendable, FetchableRecord, PersistableRecord {
    enum Columns {
        static let name = Column("name")
        static let score = Column("score")
        static let teamId = Column("teamId")
    }

    var id: Int64?
    var name: String
    var score = 0
    var teamId: Int64?

    static func filter(teamId: Int64) -> QueryInterfaceRequest<Player> {
        filter(Columns.teamId == teamId)
    }
}

struct Team: Codable, Equatable, Identifiable, Sendable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct TeamInfo: Equatable, Sendable {
    var team: Team
    var players: [Player]
}

struct TeamInfoRequest: DatabaseRegionConvertible {
    var teamId: Int64

    private var teamRequest: QueryInterfaceRequest<Team> { Team.filter(key: teamId) }
    private var playersRequest: QueryInterfaceRequest<Player> { Player.filter(teamId: teamId) }

    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try teamRequest.databaseRegion(db).union(playersRequest.databaseRegion(db))
    }

    func fetchOne(_ db: Database) throws -> TeamInfo? {
        guard let team = try teamRequest.fetchOne(db) else { return nil }
        return try TeamInfo(team: team, players: playersRequest.fetchAll(db))
    }
}

/// A test case whose tests have the samples of a reference document as their subject.
class ReferenceTestCase: XCTestCase {
    /// The number of seconds that a test waits for an expected event. A passing test never waits this long.
    static let timeout: TimeInterval = 60

    /// Runs a test on an in-memory queue and on a pool, with each backend. There are the tables `player` and
    /// `team`.
    func onQueueAndPool(_ body: (any DatabaseWriter) throws -> Void) throws {
        for (name, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            for writer in try writers(backend, directory) {
                let failures = testRun?.totalFailureCount ?? 0
                try body(writer)
                if (testRun?.totalFailureCount ?? 0) > failures { XCTFail("on \(name), \(type(of: writer))") }
            }
        }
    }

    /// Runs a test on an in-memory queue and on a pool, with each backend. There are the tables `player` and
    /// `team`.
    func onQueueAndPoolAsync(_ body: (any DatabaseWriter) async throws -> Void) async throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            for writer in try writers(backend, directory) { try await body(writer) }
        }
    }

    private func writers(
        _ backend: any StorageBackend, _ directory: TemporaryDirectory
    ) throws -> [any DatabaseWriter] {
        var configuration = Configuration()
        configuration.backend = backend
        let writers: [any DatabaseWriter] = [
            try DatabaseQueue(configuration: configuration),
            try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration),
        ]
        for writer in writers {
            try writer.write { db in
                try db.create(table: "team") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text)
                }
                try db.create(table: "player") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text)
                    t.column("score", .integer)
                    t.column("teamId", .integer)
                }
            }
        }
        return writers
    }

    /// Starts an observation that calls back on a queue.
    func start<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in reader: any DatabaseReader, line: UInt = #line
    ) -> (Recorder<Reducer.Value>, AnyDatabaseCancellable) {
        let received = Recorder<Reducer.Value>()
        let cancellable = observation.start(
            in: reader, scheduling: .async(onQueue: DispatchQueue(label: "reference")),
            onError: { XCTFail("\($0)", line: line) }, onChange: { received.append($0) })
        return (received, cancellable)
    }
}

extension DatabaseWriter {
    /// Writes synchronously. In asynchronous functions, `write` is the asynchronous one.
    func writeNow<T>(_ updates: (Database) throws -> T) throws -> T { try write(updates) }
}

extension Player {
    /// Inserts players with these names.
    static func insert(_ names: String..., into db: Database) throws {
        for name in names { try Player(name: name).insert(db) }
    }
}
