import VigilStorage
import VigilTestSupport

@testable import VigilPostgres

/// A model of a server with transactions, late visibility, and a catalog that says which tables are
/// published.
///
/// A commit is first written to the log, in the order of the stream, and becomes visible later, in any order.
struct ModelServer {
    /// The relations of the model. The streams never contain the last one.
    static let relations: [UInt32] = [1, 2, 3, 9]

    struct Transaction {
        var number: UInt64
        /// The written relations, and whether a stream contains the write.
        var writes: [UInt32: Bool] = [:]
        /// The published relations after this transaction, if it changes the publication.
        var published: Set<UInt32>?
        /// Whether it changes something else in the catalog.
        var changesCatalog = false
        /// Its position in the log, once it was committed.
        var position: Int?
    }

    /// The catalog of a snapshot.
    struct Catalog {
        var published: Set<UInt32> = [1, 2]
        /// Changes with each transaction that changes the publication.
        var publicationVersion = 0
        var version = 0

        var tables: PublishedTables {
            PublishedTables(
                published.sorted().map { .init(id: $0, name: ModelServer.name($0), kind: .published) },
                inheritance: [], version: "\(publicationVersion)")
        }
    }

    var random: SeededRandom
    var session = 0
    /// The run of the server.
    var run = 0
    private(set) var nextNumber: UInt64
    private var latestEnded: UInt64
    private(set) var active: [Transaction] = []
    /// The commits in the order of the log.
    private(set) var log: [Transaction] = []
    /// The numbers of visible writes of each relation.
    private(set) var visibleWrites: [UInt32: Set<Int>] = [:]
    private(set) var catalog = Catalog()
    /// The published relations as of the end of the log.
    private var published: Set<UInt32> = [1, 2]

    init(random: SeededRandom) {
        self.random = random
        // Some begin before the lower half of the numbers starts again.
        let first: UInt64 = self.random.next() % 4 == 0 ? 0x2_FFFF_FFF8 : 700
        nextNumber = first
        latestEnded = first - 1
    }

    static func name(_ relation: UInt32) -> TableName { TableName(name: "t\(relation)") }

    var look: ServerLook {
        let running = active.map(\.number).filter { $0 <= latestEnded }.sorted()
        let text =
            "\(running.first ?? latestEnded + 1):\(latestEnded + 1):"
            + running.map { "\($0)" }.joined(separator: ",")
        return ServerLook(
            state: .init(session: session, isStandby: false, text: text, server: "\(run)"),
            position: UInt64(log.count))
    }

    /// Returns the changes that a stream contains for the commit at a position of the log: rows of relations
    /// with odd numbers, decoded with the catalog of this position.
    func streamed(_ position: Int) -> StreamedCommit {
        let commit = log[position]
        let version = log[..<position].count { $0.published != nil || $0.changesCatalog }
        let relations = Set(commit.writes.filter(\.value).keys)
        return StreamedCommit(
            transaction: UInt32(truncatingIfNeeded: commit.number), end: UInt64(position) + 1,
            relations: relations.filter { $0 % 2 == 0 },
            rows: relations.filter { $0 % 2 == 1 }.compactMap { Self.row(of: $0, version: version) })
    }

    /// Returns a row with a column named after the version of the catalog.
    static func row(of relation: UInt32, version: Int) -> StreamedRow? {
        let definition = StreamedRelation(
            id: relation, columns: [.init(name: "\(version)", type: 23, isInIdentity: true)],
            isIdentityFull: false)
        let message: [UInt8] = [0, 1, UInt8(ascii: "n")]
        let row = PgOutput.Row(kind: .insert, relation: relation, new: .init(isKey: false, range: 0..<3))
        return message.withUnsafeBytes { StreamedRow(row, definition, in: $0) }
    }

    /// Whether all transactions begun before a number have ended in the log, although perhaps not visibly.
    func haveEnded(before number: UInt64) -> Bool {
        active.allSatisfy { $0.number >= number || $0.position != nil }
    }

    // MARK: - Steps

    /// Begins and ends a transaction without writes.
    mutating func passTransaction() -> UInt64 {
        defer { nextNumber += 1 }
        latestEnded = max(latestEnded, nextNumber)
        return nextNumber
    }

    mutating func step() {
        switch random.next() % 12 {
        case 0, 1, 2: begin()
        case 3, 4, 5: write()
        case 6, 7: commit()
        case 8, 9: endOne()
        case 10: abort()
        default: changeCatalog()
        }
    }

    private mutating func begin() {
        guard active.count < 5 else { return }
        active.append(Transaction(number: nextNumber))
        nextNumber += 1
    }

    private mutating func pick(_ isMatch: (Transaction) -> Bool) -> Int? {
        let matches = active.indices.filter { isMatch(active[$0]) }
        return matches.isEmpty ? nil : matches[Int(random.next() % UInt64(matches.count))]
    }

    private mutating func write() {
        guard let index = pick({ $0.position == nil }) else { return }
        let relation = Self.relations[Int(random.next() % UInt64(Self.relations.count))]
        active[index].writes[relation] =
            active[index].writes[relation] == true || published.contains(relation)
    }

    private mutating func commit() {
        guard let index = pick({ $0.position == nil }) else { return }
        commit(index)
    }

    private mutating func commit(_ index: Int) {
        active[index].position = log.count
        published = active[index].published ?? published
        log.append(active[index])
    }

    private mutating func endOne() {
        guard let index = pick({ $0.position != nil }) else { return }
        end(index)
    }

    private mutating func end(_ index: Int) {
        let ended = active.remove(at: index)
        latestEnded = max(latestEnded, ended.number)
        guard let position = ended.position else { return }
        for relation in ended.writes.keys { visibleWrites[relation, default: []].insert(position) }
        if let published = ended.published {
            catalog.published = published
            catalog.publicationVersion += 1
        }
        if ended.published != nil || ended.changesCatalog { catalog.version += 1 }
    }

    private mutating func abort() {
        guard let index = pick({ $0.position == nil }) else { return }
        end(index)
    }

    private mutating func changeCatalog() {
        guard random.next() % 3 == 0 else { return }
        // Changes of the catalog exclude each other until they are visible.
        guard active.count < 5, !active.contains(where: { $0.published != nil || $0.changesCatalog }) else {
            return
        }
        var transaction = Transaction(number: nextNumber)
        nextNumber += 1
        switch random.next() % 3 {
        case 0: transaction.changesCatalog = true
        case 1:
            // A table is unlogged for some time, under a lock that excludes other writes.
            guard !active.contains(where: { $0.writes[1] != nil && $0.position == nil }) else { return }
            transaction.changesCatalog = true
            transaction.writes[1] = false
            active.append(transaction)
            return commit(active.count - 1)
        default: transaction.published = published.symmetricDifference([[1, 2, 3][Int(random.next() % 3)]])
        }
        active.append(transaction)
    }

    /// Ends all transactions, those in the log with a commit.
    mutating func settle() {
        while !active.isEmpty { end(Int(random.next() % UInt64(active.count))) }
    }

    /// Crashes and starts again. The numbers of lost transactions are given again.
    mutating func restart() {
        settle()
        session += 1
        run += 1
        nextNumber = max(log.map(\.number).max() ?? 0, latestEnded) + 1
        if random.next() % 2 == 0, let last = log.map(\.number).max() {
            nextNumber = last + 1
            latestEnded = last
        }
    }
}
