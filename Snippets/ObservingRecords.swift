// The ways to start, transform and share an observation of records.

// snippet.hide
import Dispatch
import Foundation
// snippet.show
import Vigil

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let dbPool = try DatabasePool(path: folder.appendingPathComponent("players.db").path)
try dbPool.write { db in
    try db.execute(
        sql: """
            CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE player (
                id INTEGER PRIMARY KEY, team INTEGER NOT NULL, name TEXT NOT NULL, score INTEGER NOT NULL);
            INSERT INTO team VALUES (1, 'Analysts'), (2, 'Compilers');
            INSERT INTO player (team, name, score) VALUES (1, 'Ada', 41), (2, 'Barbara', 37);
            """)
}
// snippet.show
struct Player: Decodable, FetchableRecord, Equatable, Sendable {
    var id: Int64
    var name: String
    var score: Int
}

let bestPlayers = ValueObservation.tracking { db in
    try Player.fetchAll(db, sql: "SELECT * FROM player ORDER BY score DESC LIMIT 3")
}

let callbacks = DispatchQueue(label: "App.callbacks")
let cancellable = bestPlayers.start(in: dbPool, scheduling: .async(onQueue: callbacks)) { error in
    print("The observation ended:", error)
} onChange: { players in
    print(players.map(\.name).joined(separator: ", "))
}

for try await players in bestPlayers.values(in: dbPool) {
    print("The best player is", players.first?.name ?? "unknown")
    // snippet.hide
    break
    // snippet.show
}

// The request, its arguments and the type of its records identify the fetch.
let team = 1
let members: SQLRequest<Player> = "SELECT * FROM player WHERE team = \(team) ORDER BY name"
let observedMembers = ValueObservation.trackingAll(members)
let observedCount = ValueObservation.trackingCount(members)
let observedFirst = ValueObservation.trackingOne(members)

let winner =
    bestPlayers
    .map { players in players.first?.name }
    .removeDuplicates()

extension Player {
    static var best: ValueObservation<ValueReducers.Fetch<[Player]>> {
        ValueObservation.tracking { db in
            try Player.fetchAll(db, sql: "SELECT * FROM player ORDER BY score DESC LIMIT 3")
        }
    }

    static var bestName: ValueObservation<some ValueReducer<String?>> {
        best.map { players in players.first?.name }.removeDuplicates()
    }
}

// Every fetch reads the columns of one row, so the region is recorded only once.
let ada = ValueObservation.trackingConstantRegion { db in
    try Player.fetchOne(db, sql: "SELECT * FROM player WHERE id = 1")
}

// Fetches after each change of the teams, whatever the closure reads.
let standings = ValueObservation.tracking(region: DatabaseRegion(table: "team")) { db in
    try String.fetchAll(
        db,
        sql: """
            SELECT team.name FROM team JOIN player ON player.team = team.id
            GROUP BY team.id ORDER BY SUM(score) DESC
            """)
}

let shared = bestPlayers.shared(in: dbPool, scheduling: .async(onQueue: callbacks))
let list = shared.start(onError: { print($0) }, onChange: { print("list:", $0.count) })
let badge = shared.start(onError: { print($0) }, onChange: { print("badge:", $0.count) })

let header = ObservationGroup(winner, observedCount)
let started = header.start(in: dbPool, scheduling: .async(onQueue: callbacks)) { error in
    print("The observation ended:", error)
} onChange: { name, count in
    print(name ?? "No player", "leads, and team 1 has", count, "players")
}

let traced = bestPlayers.print("best players")
let explained = bestPlayers.handleEvents(didTrigger: { trigger in
    print("fetching because of", trigger)  // fetching because of commit 3: update of player 1
})
// snippet.hide
for try await _ in observedMembers.values(in: dbPool) { break }
for try await _ in observedFirst.values(in: dbPool) { break }
for try await _ in ada.values(in: dbPool) { break }
for try await _ in standings.values(in: dbPool) { break }
for try await _ in traced.values(in: dbPool) { break }
for try await _ in explained.values(in: dbPool) { break }
withExtendedLifetime((cancellable, list, badge, started)) {}
