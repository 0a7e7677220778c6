// Sends an observed list to clients of a server, as events that they can resume.

// snippet.hide
import Foundation
// snippet.show
import Vigil

// snippet.hide
struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable, Equatable, Sendable {
    static let databaseTableName = "player"
    var id: Int
    var name: String
    var team: Int
}

let dbPool = try DatabasePool(path: NSTemporaryDirectory() + "\(UUID()).db")
try dbPool.write { db in
    try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team INT NOT NULL)")
    try Player(id: 1, name: "Ada", team: 5).insert(db)
}

/// The response of a web server.
struct Response {
    func write(_ bytes: [UInt8]) async throws {
        print(String(decoding: bytes, as: UTF8.self), terminator: "")
    }
}
// snippet.show
let streams = EventStreams<Int>()

/// Sends the players of a team until the client disconnects.
func sendPlayers(of team: Int, after lastEventID: String?, to response: Response) async throws {
    let stream = streams.stream(for: team) {
        ValueObservation.trackingList(Player.filter(Column("team") == team)).eventStream(in: dbPool)
    }
    for try await event in stream.client(after: lastEventID) {
        try await response.write(event.serverSentEvent)
        // snippet.hide
        if event.kind == .patch { return }
        try await dbPool.write { db in try Player(id: 2, name: "Grace", team: 5).insert(db) }
        // snippet.show
    }
}

// snippet.hide
try await sendPlayers(of: 5, after: nil, to: Response())
