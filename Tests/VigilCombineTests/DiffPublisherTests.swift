#if canImport(Combine) || OpenCombine
    import VigilCombine
    import XCTest

    #if canImport(Combine)
        import Combine
    #else
        @preconcurrency import OpenCombine
    #endif

    final class DiffPublisherTests: XCTestCase {
        private struct Item: Codable, FetchableRecord, Identifiable, Equatable {
            var id: Int64
            var name: String
        }

        private static func text(_ diff: PrimaryKeyDiff<Item>) -> String {
            let signs = [("+", diff.inserted), ("~", diff.updated), ("-", diff.deleted)]
            return signs.flatMap { sign, items in items.map { "\(sign)\($0.id)" } }.joined(separator: " ")
        }

        func testEachSubscriptionReceivesDifferencesFromItsFirstList() throws {
            try onEachAdapterWriter { writer in
                try writer.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);
                            INSERT INTO item VALUES (1, 'a'), (2, 'b')
                            """)
                }
                let items = ValueObservation.tracking { db in
                    try Item.fetchAll(db, sql: "SELECT * FROM item ORDER BY id")
                }
                let publisher = items.shared(in: writer).publisher().diffs().map(Self.text)
                let one = TestSubscriber<String>(demand: .unlimited)
                publisher.subscribe(one)
                XCTAssertEqual(one.values.wait(count: 1), ["+1 +2"])
                try writer.write { db in
                    try db.execute(
                        sql: """
                            UPDATE item SET name = 'c' WHERE id = 2;
                            DELETE FROM item WHERE id = 1;
                            INSERT INTO item VALUES (3, 'd')
                            """)
                }
                XCTAssertEqual(one.values.wait(count: 2), ["+1 +2", "+3 ~2 -1"])
                let two = TestSubscriber<String>(demand: .unlimited)
                publisher.subscribe(two)
                XCTAssertEqual(two.values.wait(count: 1), ["+2 +3"])
                one.cancel()
                two.cancel()
            }
        }
    }
#endif
