import Dispatch
import Synchronization
import Vigil
import XCTest

/// Methods of requests can be passed to observations without type annotations. The tests also verify that
/// this compiles.
final class RequestObservationTests: XCTestCase {
    private func assertObserves<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, _ expected: [Reducer.Value], line: UInt = #line
    ) throws where Reducer.Value: Equatable {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t(a, color); INSERT INTO t VALUES (1, NULL)")
        }
        let values = Mutex<[Reducer.Value]>([])
        let arrival = DispatchSemaphore(value: 0)
        let cancellable = observation.start(
            in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)", line: line) },
            onChange: { value in
                values.withLock { $0.append(value) }
                arrival.signal()
            })
        try dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (2, NULL)") }
        // Reduced values are delivered on another thread.
        for _ in expected { XCTAssertEqual(arrival.wait(timeout: .now() + 30), .success, line: line) }
        cancellable.cancel()
        XCTAssertEqual(values.withLock { $0 }, expected, line: line)
    }

    func testRowsAreObserved() throws {
        let request = SQLRequest(sql: "SELECT a FROM t")
        try assertObserves(ValueObservation.tracking(request.fetchAll), [[["a": 1]], [["a": 1], ["a": 2]]])
        try assertObserves(
            ValueObservation.trackingConstantRegion(request.fetchOne), [["a": 1], ["a": 1]])
        try assertObserves(ValueObservation.tracking(request.fetchSet), [[["a": 1]], [["a": 1], ["a": 2]]])
        try assertObserves(ValueObservation.tracking(request.fetchCount), [1, 2])
    }

    func testValuesAreObserved() throws {
        let request: SQLRequest<Int> = "SELECT a FROM t"
        try assertObserves(ValueObservation.tracking(request.fetchAll), [[1], [1, 2]])
        try assertObserves(ValueObservation.trackingConstantRegion(request.fetchAll), [[1], [1, 2]])
        try assertObserves(ValueObservation.tracking(request.fetchSet), [[1], [1, 2]])
        try assertObserves(
            ValueObservation.tracking(SQLRequest<Int>(sql: "SELECT MAX(a) FROM t").fetchOne), [1, 2])
        try assertObserves(
            ValueObservation.tracking(SQLRequest<DatabaseValue>("SELECT MAX(a) FROM t").fetchOne),
            [1.databaseValue, 2.databaseValue])
    }

    func testOptionalsDistinguishNullFromNoRow() throws {
        let null: SQLRequest<String?> = "SELECT color FROM t WHERE a = 2"
        try assertObserves(
            ValueObservation.tracking(null.fetchOne).removeDuplicates(), [String??.none, .some(nil)])
        try assertObserves(ValueObservation.tracking(null.fetchAll), [[], [nil]])
    }

    func testTypeErasedAndAdaptedRequestsAreObserved() throws {
        let request: SQLRequest<Int> = "SELECT a FROM t"
        try assertObserves(ValueObservation.tracking(AnyFetchRequest(request).fetchAll), [[1], [1, 2]])
        let adapted = SQLRequest<Row>("SELECT 0, a FROM t").adapted { _ in SuffixRowAdapter(fromIndex: 1) }
        try assertObserves(ValueObservation.tracking(adapted.fetchOne), [["a": 1], ["a": 1]])
    }

    func testRequestsCanBeUsedAsRegions() throws {
        let request: SQLRequest<Int> = "SELECT a FROM t"
        try assertObserves(
            ValueObservation.tracking(region: request, fetch: SQLRequest<Int>("SELECT 7").fetchOne), [7, 7])
        let regions: [any DatabaseRegionConvertible] = [AnyFetchRequest(request)]
        try assertObserves(ValueObservation.tracking(regions: regions, fetch: { _ in 7 }), [7, 7])
    }

    func testMethodsOfRequestsCanBePassedToRead() throws {
        let request: SQLRequest<Int> = "SELECT 1"
        XCTAssertEqual(try DatabaseQueue().read(request.fetchOne), 1)
    }

    func testMethodsOfRequestsCanBePassedToAsynchronousRead() async throws {
        let dbQueue = try DatabaseQueue()
        let request: SQLRequest<Int> = "SELECT 1"
        let values = try await dbQueue.read(request.fetchAll)
        XCTAssertEqual(values, [1])
        let count = try await dbQueue.read(request.fetchCount)
        XCTAssertEqual(count, 1)
    }
}
