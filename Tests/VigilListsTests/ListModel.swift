import VigilLists
import VigilRegions
import VigilStorage
import VigilTestSupport

/// A row of a model list.
struct ModelRow: Equatable {
    let rowIDs: [Int64?]
    let terms: [ModelValue]
    let element: ModelElement
}

/// An element that holds a reference, so that mistakes in copying memory are found.
struct ModelElement: Hashable, Sendable {
    let text: String
}

/// Two tables, and a query whose rows are computed as a whole or for some row ids.
struct ListModel {
    enum Query: CaseIterable {
        /// One table, with a condition.
        case players
        /// Each row of one table with each row of the other.
        case playersWithTeam
        /// The same table twice.
        case pairs
        /// One table, with a row of the other one if it exists. The other one is watched.
        case playersWithOptionalTeam
    }

    struct Player {
        var score: ModelValue
        var note: Int
        var team: Int64
        var isListed: Bool
    }

    static let playerTable = TableName(name: "player")
    static let teamTable = TableName(name: "team")

    let query: Query
    let shape: ListShape
    /// The rows that the list shows; `nil` for all.
    let window: WindowRange?
    private var players: [Int64: Player] = [:]
    private var teams: [Int64: ModelValue] = [:]
    private let zeroBytes: Bool

    init(_ query: Query, window: WindowRange? = nil, _ random: inout SeededRandom) {
        self.query = query
        self.window = window
        let limit = query == .players ? 2 : 3
        let terms = (0..<Int.random(in: 0..<limit, using: &random)).map { _ in random.term() }
        let direction = random.pick([nil, true, false])
        zeroBytes = !terms.contains { $0.collation == .nocase }
        let sources: [ListShape.Source] =
            switch query {
            case .players: [.init(Self.playerTable)]
            case .playersWithTeam: [.init(Self.teamTable), .init(Self.playerTable)]
            case .pairs: [.init(Self.playerTable), .init(Self.playerTable)]
            case .playersWithOptionalTeam:
                [.init(Self.playerTable), .init(Self.teamTable, isOptional: true)]
            }
        shape = ListShape(sources: sources, terms: terms, rowIDsDescend: direction)
    }

    var tracking: ListTracking {
        switch query {
        case .players: ListTracking(shape: shape, followed: [0], window: window)
        case .playersWithTeam, .pairs: ListTracking(shape: shape, followed: [0, 1], window: window)
        case .playersWithOptionalTeam:
            ListTracking(shape: shape, followed: [0], watched: [Self.teamTable], window: window)
        }
    }

    /// The rows that the list shows.
    func shownRows() -> [ModelRow] {
        let rows = rows()
        guard let window else { return rows }
        return Array(rows.dropFirst(window.offset).prefix(window.limit ?? rows.count))
    }

    /// The rows in the order of the list.
    func rows() -> [ModelRow] {
        allRows.sorted { (order($0, $1), rowIDOrder($0, $1)) < (0, 0) }
    }

    /// The rows as a full fetch returns them: rows with equal sort values are in any order, except in
    /// windows.
    ///
    /// - Parameter count: the number of rows for a window; `nil` for all.
    func fetchedRows(first count: Int?, _ random: inout SeededRandom) -> [ModelRow] {
        if window != nil { return Array(rows().prefix(count ?? .max)) }
        let places = Dictionary(
            uniqueKeysWithValues: allRows.map { ($0.rowIDs, Int(truncatingIfNeeded: random.next() >> 32)) })
        if shape.terms.isEmpty, random.once(in: 2) { return rows() }
        return allRows.sorted { a, b in
            (order(a, b), places[a.rowIDs] ?? 0) < (0, places[b.rowIDs] ?? 0)
        }
    }

    /// The rows that statements for changed rows return, in any order, and some of them twice.
    func fetchedRows(_ rowIDs: [Set<Int64>], _ random: inout SeededRandom) -> [ModelRow] {
        rowIDs.indices.flatMap { source in
            allRows.filter { row in row.rowIDs[source].map(rowIDs[source].contains) ?? false }
        }.shuffled(using: &random)
    }

    private func order(_ a: ModelRow, _ b: ModelRow) -> Int {
        for (index, term) in shape.terms.enumerated() {
            let order = VigilListsTests.order(a.terms[index], b.terms[index], term)
            if order != 0 { return order.signum() }
        }
        return 0
    }

    private func rowIDOrder(_ a: ModelRow, _ b: ModelRow) -> Int {
        let direction = shape.rowIDsDescend ? -1 : 1
        for (one, two) in zip(a.rowIDs, b.rowIDs) where one != two {
            guard let one else { return -direction }
            guard let two else { return direction }
            return one < two ? -direction : direction
        }
        return 0
    }

    private var allRows: [ModelRow] {
        switch query {
        case .players: return players.filter(\.value.isListed).map { row([$0.key], $0.value, .null) }
        case .playersWithTeam:
            return players.compactMap { id, player in
                teams[player.team].map { row([player.team, id], player, $0) }
            }
        case .pairs:
            return players.flatMap { one, player in
                players.filter { $0.value.team == player.team }.map { two, other in
                    row([one, two], player, other.score)
                }
            }
        case .playersWithOptionalTeam:
            return players.map { id, player in
                row([id, teams[player.team].map { _ in player.team }], player, teams[player.team] ?? .null)
            }
        }
    }

    private func row(_ rowIDs: [Int64?], _ player: Player, _ other: ModelValue) -> ModelRow {
        let values = query == .players ? [player.score] : [other, player.score]
        return ModelRow(
            rowIDs: rowIDs, terms: Array(values.prefix(shape.terms.count)),
            element: ModelElement(text: "row \(rowIDs.map { $0.map { "\($0)" } ?? "-" }) note \(player.note)")
        )
    }

    // MARK: Changes

    /// Changes rows, and returns the changes, which may name rows that did not change.
    mutating func change(_ count: Int, rowIDs: Range<Int64>, _ random: inout SeededRandom) -> ChangeSet {
        var changes = ChangeSet()
        for _ in 0..<count {
            if random.once(in: query == .players ? 100 : 8) {
                changeTeam(Int64.random(in: 0..<4, using: &random), &changes, &random)
            } else {
                changePlayer(Int64.random(in: rowIDs, using: &random), rowIDs, &changes, &random)
            }
        }
        return changes
    }

    /// Removes the players of the first rows, and returns the changes.
    mutating func removeFirst(_ count: Int) -> ChangeSet {
        var changes = ChangeSet()
        for row in rows().prefix(count) {
            guard let id = row.rowIDs[query == .playersWithTeam ? 1 : 0] else { continue }
            players[id] = nil
            changes.record(update(Self.playerTable, id, to: id))
        }
        return changes
    }

    private mutating func changePlayer(
        _ id: Int64, _ rowIDs: Range<Int64>, _ changes: inout ChangeSet, _ random: inout SeededRandom
    ) {
        let old = players[id]
        switch Int.random(in: 0..<8, using: &random) {
        case 0: players[id] = nil
        case 1:
            let score = value(&random)
            players[id]?.score = score
        case 2: players[id]?.note = Int.random(in: 0..<3, using: &random)
        case 3: players[id]?.isListed.toggle()
        case 4: players[id]?.team = Int64.random(in: 0..<4, using: &random)
        case 5 where old != nil:
            // The row id changes.
            let other = Int64.random(in: rowIDs, using: &random)
            players[id] = nil
            players[other] = old
            changes.record(update(Self.playerTable, id, to: other))
            return
        case 6: break
        default:
            players[id] = Player(
                score: value(&random), note: Int.random(in: 0..<3, using: &random),
                team: Int64.random(in: 0..<4, using: &random), isListed: !random.once(in: 4))
        }
        changes.record(update(Self.playerTable, id, to: id))
    }

    private mutating func changeTeam(
        _ id: Int64, _ changes: inout ChangeSet, _ random: inout SeededRandom
    ) {
        teams[id] = random.once(in: 3) ? nil : value(&random)
        changes.record(update(Self.teamTable, id, to: id))
    }

    private func update(_ table: TableName, _ id: Int64, to newID: Int64) -> RowChangeSummary {
        RowChangeSummary(table: table, kind: .update, oldKey: .integer(id), newKey: .integer(newID))
    }

    private func value(_ random: inout SeededRandom) -> ModelValue {
        random.once(in: 3)
            ? .integer(Int64.random(in: 0..<3, using: &random)) : random.value(zeroBytes: zeroBytes)
    }
}

extension FetchedRows {
    mutating func append(_ rows: [ModelRow]) {
        for row in rows {
            let rowIDs = row.rowIDs.map { $0.map { ModelValue.integer($0) } ?? .null }
            withCells(rowIDs + row.terms) { append(row.element, cells: $0) }
        }
    }
}
