import Foundation
import Vigil
import VigilRandomSQL
import VigilStorage
import VigilTesting

@testable import VigilEngine

/// Observes the queries of a world as lists while it is written to, and compares each list with fresh rows.
final class ListRun {
    private let database: OracleDatabase
    private var writer: any DatabaseWriter { database.writer }
    private var world: ListWorld
    private var lists: [ListedQuery] = []
    private var cancellables: [AnyDatabaseCancellable] = []
    private let pause = ObservationPause()
    private(set) var tally = ListTally()
    /// The number of lists that were compared with fresh rows.
    private(set) var comparedCount = 0

    init(_ database: OracleDatabase) throws {
        self.database = database
        world = ListWorld(seed: database.seed, try OracleRun.features(database.writer))
        database.write(world.setUp)
    }

    deinit { cancellables.forEach { $0.cancel() } }

    /// Runs units of writes, and returns a reproducible description of the first wrong list, or `nil`.
    func run(units: Int, listCount: Int) throws -> String? {
        for _ in 0..<12 { database.write(world.writes()) }
        makeLists(listCount)
        defer { count() }
        // Some of the lists start later.
        let early = lists.prefix(listCount * 3 / 4)
        cancellables = early.map { $0.start(in: writer) }
        for unit in 0..<units {
            if unit == units / 3 { cancellables += lists[early.count...].map { $0.start(in: writer) } }
            if world.random.chance(20) { pause.pause() }
            database.write(world.random.chance(40) ? [world.definition()] : world.writes())
            if world.random.chance(6) { pause.resume() }
            if world.random.chance(4), database.hasOtherWriter { writeElsewhere() }
            guard !pause.isPaused || unit == units - 1 else { continue }
            pause.resume()
            try writer.waitForFetches()
            if let failure = try database.failure(complaint) { return failure }
            // Inline schedulers do not order the first value of an observer and the next one, so no list is
            // being fetched.
            if world.random.chance(4) { for list in lists { list.switchSecondObserver() } }
        }
        return nil
    }

    /// Writes on another connection, and then here, perhaps before the commit of the other one is detected.
    private func writeElsewhere() {
        database.writeElsewhere(world.writes())
        if world.random.chance(2) { database.write(world.writes()) }
    }

    /// Returns a complaint about a list that differs from fresh rows, if possible one that cannot be late.
    private func complaint() -> (text: String, mayBeLate: Bool)? {
        writer.writeWithoutTransaction { db in
            let (late, immediate) = (
                lists.filter { $0.delivery == .throttled }, lists.filter { $0.delivery != .throttled }
            )
            for list in immediate + late where list.hasStarted {
                comparedCount += 1
                guard let complaint = list.complaint(db, in: writer) else { continue }
                let text = """
                    list: \(list.query.sql), \(list.query.fetchesEachCommit ? "each commit" : "coalescing"), \
                    \(list.delivery)
                    \(complaint)
                    """
                return (text, list.delivery == .throttled)
            }
            return nil
        }
    }

    private func makeLists(_ count: Int) {
        writer.writeWithoutTransaction { db in
            var attempts = 0
            while lists.count < count, attempts < count * 30 {
                attempts += 1
                let sql = world.query()
                guard let statement = try? db.makeStatement(sql: sql) else { continue }
                let plan = statement.storage.plan
                // A few lists that are not followed suffice. Another fetch may choose other rows of equal
                // ones, if there is a limit.
                guard plan != nil || attempts.isMultiple(of: 5) && !sql.contains("LIMIT") else { continue }
                // In each world, values of other tables lead to the rows of the first list.
                guard !lists.isEmpty || plan.map({ !$0.links.isEmpty && $0.watched.isEmpty }) == true else {
                    continue
                }
                let query = OracleQuery(
                    sql: sql, values: [], source: .new, fetchesEachCommit: world.random.chance(3),
                    isPrecise: false)
                let delivery: ListedQuery.Delivery =
                    world.random.chance(5)
                    ? .throttled : world.random.chance(4) ? .shared : .immediate
                let list = ListedQuery(
                    query, order: "", plan: plan, pause: world.random.chance(4) ? pause : nil,
                    delivery: delivery)
                lists.append(list)
                // An equal list shares its fetches.
                if world.random.chance(5) { lists.append(ListedQuery(query, order: "", plan: plan)) }
            }
        }
        tally.queries = lists.count
        tally.windows = lists.count { $0.isWindow }
        tally.followed = lists.count { $0.isFollowed }
    }

    private func count() {
        for list in lists { tally.states += list.count }
        let linked = Set(lists.filter(\.isLinked).map { "list: " + $0.query.sql })
        for status in writer.observations {
            guard let list = status.list else { continue }
            tally.rowFetches += list.rowFetchCount
            if linked.contains(status.label) { tally.linkedRowFetches += list.rowFetchCount }
            for (reason, count) in list.fullFetchCounts { tally.fullFetches[reason, default: 0] += count }
        }
    }
}
