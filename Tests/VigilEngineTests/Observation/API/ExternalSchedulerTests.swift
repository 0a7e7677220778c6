import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilEngine
import XCTest

/// Callbacks on schedulers of other libraries.
final class ExternalSchedulerTests: XCTestCase {
    func testActionsOfAConcurrentSchedulerRunInOrder() {
        let scheduler = ExternalScheduler { action in DispatchQueue.global().async { action() } }
        let running = Mutex(0)
        let places = Recorder<Int>()
        for place in 0..<100 {
            scheduler.schedule {
                let count = running.withLock { number in
                    number += 1
                    return number
                }
                XCTAssertEqual(count, 1, "two actions run at the same time")
                places.append(place)
                running.withLock { $0 -= 1 }
            }
        }
        XCTAssertEqual(places.wait(count: 100), Array(0..<100))
    }

    func testCallbacksOfASchedulerThatRunsActionsAtOnceMayWrite() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let values = Recorder<Int>()
            let cancellable = rowCounts.start(
                in: fixture.writer, scheduling: ExternalScheduler { action in action() },
                onError: { XCTFail("\($0)") },
                onChange: { value in
                    values.append(value)
                    guard value < 3 else { return }
                    do {
                        try fixture.insert()
                    } catch {
                        XCTFail("\(error)")
                    }
                })
            XCTAssertEqual(values.wait(count: 4), [0, 1, 2, 3])
            cancellable.cancel()
        }
    }

    /// RxSwift's main scheduler runs actions at once if it is called on the main queue.
    func testAnActionThatRanAtOnceStillRunsWhereTheSchedulerDecides() {
        let scheduler = ExternalScheduler { action in
            if Thread.isMainThread { action() } else { DispatchQueue.main.async { action() } }
        }
        let (isReturned, isOnMain) = (Recorder<Bool>(), Recorder<Bool>())
        scheduler.schedule {
            XCTAssertEqual(isReturned.all, [true], "the action runs inside the call")
            isOnMain.append(Thread.isMainThread)
        }
        isReturned.append(true)
        XCTAssertEqual(isOnMain.wait(count: 1), [true])
    }
}
