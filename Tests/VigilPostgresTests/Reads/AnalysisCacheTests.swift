import VigilStorage
import XCTest

@testable import VigilPostgres

final class AnalysisCacheTests: XCTestCase {
    private var cache = AnalysisCache()
    private var now = ContinuousClock.now
    private let analysis = QueryAnalysis.known(QueryReads(tables: [.init(schema: "s", name: "t")]))

    private func key(_ sql: String, _ types: [UInt32] = [], role: String = "a", path: String = "p")
        -> AnalysisCache.Key
    {
        .init(
            sql: sql, types: types,
            identity: .init(user: "u", role: role, searchPath: path, hasTemporarySchema: false))
    }

    private func lookUp(_ key: AnalysisCache.Key, version: Int = 0) -> AnalysisCache.Answer {
        cache.look(up: key, version: version, at: now)
    }

    func testEachTextTypeRoleAndSearchPathIsAnalysedOnce() {
        let keys = [
            key("a"), key("b"), key("a", [23]), key("a", [25]), key("a", role: "b"), key("a", path: "q"),
            // Different bytes, although Swift considers the strings equal.
            key("\u{e9}"), key("e\u{301}"), key("a", role: "\u{e9}"), key("a", role: "e\u{301}"),
            key("a", path: "\u{e9}"), key("a", path: "e\u{301}"),
        ]
        for key in keys {
            XCTAssertEqual(lookUp(key), .analyse)
            XCTAssertTrue(cache.didAnalyse(key, analysis, version: 0, at: now))
        }
        for key in keys { XCTAssertEqual(lookUp(key), .known(analysis)) }
    }

    func testNewVersionDiscardsAnalyses() {
        XCTAssertEqual(lookUp(key("a")), .analyse)
        XCTAssertTrue(cache.didAnalyse(key("a"), analysis, version: 0, at: now))
        XCTAssertEqual(lookUp(key("a"), version: 1), .analyse)
        // The analysis for the earlier version comes too late.
        XCTAssertFalse(cache.didAnalyse(key("a"), analysis, version: 0, at: now))
        XCTAssertEqual(lookUp(key("a"), version: 1), .analyse)
        guard case .unknown = lookUp(key("a"), version: 0) else { return XCTFail() }
    }

    func testEntriesInUseAreNotReplaced() {
        for index in 0..<AnalysisCache.capacity {
            XCTAssertEqual(lookUp(key("\(index)")), .analyse)
            XCTAssertTrue(cache.didAnalyse(key("\(index)"), analysis, version: 0, at: now))
        }
        guard case .unknown = lookUp(key("x")) else { return XCTFail() }
        now += AnalysisCache.minimumAge
        XCTAssertEqual(lookUp(key("0")), .known(analysis))
        XCTAssertEqual(lookUp(key("x")), .analyse)
        XCTAssertEqual(cache.count, 1)
        XCTAssertEqual(lookUp(key("0")), .known(analysis))
    }

    func testNothingIsAnalysedForAMomentAfterAFailure() {
        XCTAssertEqual(lookUp(key("a")), .analyse)
        cache.didFail(at: now)
        guard case .unavailable = lookUp(key("a")) else { return XCTFail() }
        now += Retries.analysis.firstPause
        XCTAssertEqual(lookUp(key("a")), .analyse)
    }
}
