#if PostgreSQL
    // Observes a database on a PostgreSQL server, which any client may modify.
    import Foundation
    import Vigil

    let server = ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] ?? "postgres://localhost/shop"
    let dbPool = try DatabasePool(server: server)
    try dbPool.write { db in try db.execute(sql: "CREATE TABLE visit (page TEXT)") }

    let visits = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM visit") ?? 0
    }
    for try await count in visits.values(in: dbPool) {
        print("Visits:", count)
        if count == 1 { break }
        // Another client, as another machine would connect.
        try DatabasePool(server: server).write { db in try db.execute(sql: "INSERT INTO visit VALUES ('/')") }
    }
    try dbPool.write { db in try db.drop(table: "visit") }
#endif
