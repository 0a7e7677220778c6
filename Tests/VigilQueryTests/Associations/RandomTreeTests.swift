import Synchronization
import Vigil
import XCTest

/// Random transactions on parents, children and grandchildren. After each of them, observed trees must equal fresh
/// fetches.
final class RandomTreeTests: XCTestCase {
    private struct Parent: TableRecord {
        static let children = hasMany(Child.self)
        static let grandchildren = hasMany(Grandchild.self, through: children, using: Child.grandchildren)
        static let pairs = hasMany(Pair.self)
    }

    private struct Child: TableRecord {
        static let parent = belongsTo(Parent.self)
        static let grandchildren = hasMany(Grandchild.self)
    }

    private struct Grandchild: TableRecord {
        static let child = belongsTo(Child.self)
    }

    private struct Pair: TableRecord {}

    private static let schema = """
        CREATE TABLE parent(id INTEGER PRIMARY KEY, a INT, b TEXT, kind INT, UNIQUE(a, b));
        CREATE TABLE child(id INTEGER PRIMARY KEY, parentId INT REFERENCES parent(id), score INT);
        CREATE TABLE grandchild(id INTEGER PRIMARY KEY, childId INT REFERENCES child(id), name TEXT);
        CREATE TABLE pair(id INTEGER PRIMARY KEY, a INT, b TEXT, FOREIGN KEY(a, b) REFERENCES parent(a, b));
        """

    private var requests: [QueryInterfaceRequest<Row>] {
        let id = Column("id")
        let children = Parent.children.filter(Column("score") < 7).order(id)
        return [
            Parent.filter(Column("kind") == 1).order(id).including(
                all: children.including(all: Child.grandchildren.order(id))
            ).asRequest(of: Row.self),
            Parent.filter(id < 4).order(id).including(all: Parent.grandchildren.order(id))
                .including(all: Parent.pairs.order(id)).asRequest(of: Row.self),
            Child.filter(Column("score") > 4).order(id).including(
                optional: Child.parent.including(all: Parent.children.order(id))
            ).asRequest(of: Row.self),
            Grandchild.including(required: Grandchild.child.including(optional: Child.parent)).order(id)
                .asRequest(of: Row.self),
            Parent.annotated(with: Parent.children.count, Parent.grandchildren.count).order(id)
                .asRequest(of: Row.self),
        ]
    }

    /// Returns a random statement.
    private func change(_ random: inout some RandomNumberGenerator) -> String {
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        func key(_ range: ClosedRange<Int>) -> String { number(0...5) == 0 ? "NULL" : "\(number(range))" }
        let (parent, child, grandchild) = (number(1...6), number(1...10), number(1...16))
        switch number(0...9) {
        case 0:
            return
                "INSERT OR REPLACE INTO parent VALUES (\(parent), \(number(1...3)), '\(number(1...3))', \(number(0...2)))"
        case 1: return "UPDATE parent SET kind = \(number(0...2)) WHERE id = \(parent)"
        case 2: return "DELETE FROM parent WHERE id = \(parent)"
        case 3, 4:
            return "INSERT OR REPLACE INTO child VALUES (\(child), \(key(1...6)), \(number(0...9)))"
        case 5:
            return "UPDATE child SET parentId = \(key(1...6)), score = \(number(0...9)) WHERE id = \(child)"
        case 6: return "DELETE FROM child WHERE id = \(child)"
        case 7:
            return
                "INSERT OR REPLACE INTO grandchild VALUES (\(grandchild), \(key(1...10)), 'n\(number(0...3))')"
        case 8: return "DELETE FROM grandchild WHERE id = \(grandchild)"
        default:
            return
                "INSERT OR REPLACE INTO pair VALUES (\(number(1...8)), \(key(1...3)), '\(number(1...3))')"
        }
    }

    /// The text of rows with their scopes and prefetched rows.
    private static func tree(_ rows: [Row]) -> String { rows.map(\.debugDescription).joined(separator: "\n") }

    func testObservedTreesEqualFreshFetches() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try onEachWriter(configuration) { writer in
            var random = SeededGenerator(seed: seed)
            try writer.write { try $0.execute(sql: Self.schema) }
            let observed = requests.map { request in
                record(
                    ValueObservation.tracking { db in Self.tree(try request.fetchAll(db)) }, in: writer)
            }
            for _ in 0..<60 {
                let statements = (0..<Int.random(in: 1...4, using: &random)).map { _ in change(&random) }
                try writer.write { try $0.execute(sql: statements.joined(separator: ";")) }
            }
            for (request, (values, cancellable)) in zip(requests, observed) {
                let fresh = Self.tree(try writer.read { try request.fetchAll($0) })
                // The last value is never skipped.
                var count = 1
                while values.wait(count: count).last != fresh, count < 200 { count = values.all.count + 1 }
                XCTAssertEqual(values.all.last, fresh, "seed \(seed)")
                cancellable.cancel()
            }
        }
    }
}

/// A generator whose numbers depend only on its seed.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
