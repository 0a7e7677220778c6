import VigilTestSupport
import XCTest

@testable import VigilPostgres

final class NodeTreeTests: XCTestCase {
    private func references(_ tree: String) throws -> TreeReferences {
        var references = TreeReferences()
        try references.add(tree)
        return references
    }

    func testWordsBelongToTheFieldOfTheirNode() throws {
        var tree = NodeTree(#"({A :x 1 :y (o 2 {B :z \}\ \ q}) :w <>})"#)
        var words: [NodeTree.Word] = []
        while let word = try tree.next() { words.append(word) }
        XCTAssertEqual(
            words.map { "\($0.node) \($0.field) \($0.text)" },
            ["A  A", "A x 1", "A y o", "A y 2", "B  B", #"B z \}\ \ q"#, "A w <>"])
    }

    func testReferencesOfRecordedTrees() throws {
        let current = try references(RecordedTrees.version15)
        XCTAssertEqual(current.relations.count, 1)
        XCTAssertTrue(current.functions.isSuperset(of: [65, 1258, 1633]), "\(current)")
        XCTAssertTrue(current.operators.isSuperset(of: [96, 654, 1627]), "\(current)")
        XCTAssertEqual(
            try references(RecordedTrees.version18),
            TreeReferences(relations: [16391], functions: [16538], operators: []))
        XCTAssertEqual(try references(RecordedTrees.earlier).relations, [501_466])
    }

    func testColumnsOfRecordedTrees() throws {
        func columns(_ text: String) throws -> TreeColumns {
            var columns = TreeColumns()
            columns.add(try QueryTree(text), isPart: false)
            return columns
        }
        let current = try columns(RecordedTrees.version15)
        XCTAssertEqual(current.columns, [25_288: .init(numbers: [1, 2])])
        // The columns are in a node of their own.
        let later = try columns(RecordedTrees.version18)
        XCTAssertEqual(later.columns, [16_391: .init(numbers: [1, 2])])
        XCTAssertEqual(later.occurrences, [16_391: 1])
        XCTAssertEqual(try columns(RecordedTrees.earlier).columns, [501_466: .init(isAll: true)])
        let nested =
            "({QUERY :rtable ({RANGETBLENTRY :relid 7 :tablesample {A :b {RANGETBLENTRY :relid 8 :selectedCols (b 8)}} :selectedCols (b 6 7)} {RANGETBLENTRY :relid 8 :selectedCols (b 1 9)})})"
        let both = try columns(nested)
        XCTAssertEqual(both.columns, [7: .init(isAll: true), 8: .init(numbers: [1, 2])])
        XCTAssertEqual(both.occurrences, [7: 1, 8: 2])
        XCTAssertEqual(both.withSystemColumns, [7])
    }

    func testUnknownPartsAreRefused() {
        let trees = [
            "{QUERY :commandType 3}", "{QUERY :commandType 1 :hasModifyingCTE true}", "{SPELL :relid 1}",
            "{FUNCEXPR :spell 16384}", "{FUNCEXPR :funcid x}", "{FUNCEXPR :funcid -1}",
            "{RTE :relid 99999999999}",
            "{NEXTVALUEEXPR :seqid 20000}", "{QUERY", "QUERY", "{QUERY}}", "(", ")", "{(})", "{}",
            "{:relid 1}", "\\",
            "{QUERY :a \\", "{QUERY :relid (}", "{QUERY :a (o 20000)}",
        ]
        for tree in trees { XCTAssertThrowsError(try references(tree), tree) }
        for tree in ["", "<>", "()", "(<>)", "{QUERY :commandType 1} {QUERY :commandType 1}"] {
            XCTAssertNoThrow(try references(tree), tree)
        }
    }

    func testDeepTreesAreRead() throws {
        let count = 100_000
        let tree =
            String(repeating: "({BOOLEXPR :args ", count: count) + "{RTE :relid 20000}"
            + String(repeating: "})", count: count)
        XCTAssertEqual(try references(tree).relations, [20_000])
        XCTAssertThrowsError(try references(String(repeating: "(", count: count)))
    }

    /// A damaged tree is refused, or yields at least the references of its undamaged beginning.
    func testDamagedTreesDoNotTrap() {
        var random = SeededRandom.seeded()
        print("seed \(random.seed)")
        let parts = Array("(){}: \\<>0123456789abcdefghijklmnopqrstuvwxyzABCDEF\"\n\u{0}é".utf8)
        for _ in 0..<RandomTestSettings.rounds(400) {
            var bytes = Array(random.pick([RecordedTrees.version15, RecordedTrees.version18]).utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = random.pick(parts)
                case 1: bytes.insert(random.pick(parts), at: index)
                case 2: bytes.removeSubrange(index..<min(bytes.count, index + 9))
                default: bytes.removeLast(bytes.count - index)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = try? references(text)
            guard let tree = try? QueryTree(text) else { continue }
            var columns = TreeColumns()
            columns.add(tree, isPart: false)
            _ = QueryConditions(tree, ComparisonCatalog(), tables: [16_391, 25_288])
        }
    }
}
