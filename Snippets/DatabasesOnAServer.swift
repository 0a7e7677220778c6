// Observes a database on a PostgreSQL server.

// snippet.hide
#if PostgreSQL
    import Foundation
    // snippet.show
    import Vigil

    // snippet.hide
    let server = ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] ?? "postgres://localhost/shop"
    // snippet.show
    var configuration = Configuration()
    configuration.maximumReaderCount = 10  // sessions of the server, besides the writer's
    configuration.maximumWriteRetryCount = 5  // repeats synchronous writes too, after a conflict
    let dbPool = try DatabasePool(server: server, configuration: configuration)

    // snippet.hide
    let tenant = "blue"
    // snippet.show
    configuration.isolationLevel = .readCommitted
    configuration.prepareDatabase { db in
        try db.execute(sql: "SET search_path = shop, public")
    }
    configuration.prepareDatabase { db in
        try db.execute(sql: "SET ROLE app_tenant")
        try db.execute(sql: "SELECT set_config('app.tenant', ?, false)", arguments: [tenant])
    }
    let tenantPool = try DatabasePool(server: server, configuration: configuration)

    let playerCount = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
    }

    for try await count in playerCount.values(in: dbPool) {
        print(count, "players")  // on all machines, after a commit on any of them
    }

    do {
        try dbPool.write { db in
            try db.execute(sql: "INSERT INTO player (id, name) VALUES (?, ?)", arguments: [1, "Arthur"])
        }
    } catch let error as DatabaseError where error.sqlState == "23505" {
        print("This player exists already.")
    } catch DatabaseError.CONNECTION_LOST {
        print("The next access connects again.")
    }
    // snippet.hide
    struct Member: Sendable {}
    func membersFromAnotherClient() async throws -> [Member] { [] }
    // snippet.show
    let live = try PostgresObservations(server)
    let members = live.values(of: "SELECT name FROM player WHERE team = ?", [5]) {
        try await membersFromAnotherClient()  // by PostgresNIO or Fluent, for example
    }
    for try await members in members {
        print(members.count, "members")
    }
// snippet.hide
#endif
