// The options that determine how many values are fetched and delivered, and how an observation ends.

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
    try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER NOT NULL)")
}
// snippet.show
let playerCount = ValueObservation.tracking { db in
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
}

// One value per commit, also on a pool.
let everyCount = playerCount.coalescing(.never)

// At most one fetch in 200 ms. The last value is always delivered.
let calmCount = playerCount.throttled(.milliseconds(200))

// Nothing is fetched while the pause is on.
let pause = ObservationPause()
let pausableCount = playerCount.pausable(by: pause)

// The number of the commit that each value contains.
let numberedCount = playerCount.withCommitNumber()
for try await counted in numberedCount.values(in: dbPool, bufferingPolicy: .bufferingNewest(1)) {
    print(counted.value, "players as of commit", counted.commit)
    // snippet.hide
    break
    // snippet.show
}

// The observation ends when the object that observes is released.
@MainActor
final class PlayerCounter {
    private(set) var text = ""
    private var cancellable: AnyDatabaseCancellable?

    func start(in dbPool: DatabasePool) {
        cancellable = playerCount.start(in: dbPool) { [weak self] error in
            self?.text = "\(error)"
        } onChange: { [weak self] count in
            self?.text = "\(count) players"
        }
    }
}

// An error ends an observation. Start another one to continue.
func printCounts(of dbPool: DatabasePool) async throws {
    while true {
        do {
            for try await count in playerCount.values(in: dbPool) { print(count) }
            return  // The task was cancelled, or the database was closed.
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            print("trying again:", error)
        }
    }
}
// snippet.hide
let counter = PlayerCounter()
counter.start(in: dbPool)
for try await _ in everyCount.values(in: dbPool) { break }
for try await _ in calmCount.values(in: dbPool) { break }
for try await _ in pausableCount.values(in: dbPool) { break }
let printing = Task { try await printCounts(of: dbPool) }
printing.cancel()
try await printing.value
