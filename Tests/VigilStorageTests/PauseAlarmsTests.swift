import VigilStorage
import XCTest

final class PauseAlarmsTests: XCTestCase {
    func testAPauseThatSupersedesAnotherUsesItsAlarm() {
        var alarms = PauseAlarms<Int>()
        XCTAssertEqual(alarms.begin(until: 10, number: 1), 10)
        XCTAssertNil(alarms.begin(until: 15, number: 2))
        XCTAssertNil(alarms.begin(until: 20, number: 3))
        var outcome = alarms.alarmDidFire(10)
        XCTAssertNil(outcome.ended)
        XCTAssertEqual(outcome.alarm, 20)
        outcome = alarms.alarmDidFire(20)
        XCTAssertEqual(outcome.ended, 3)
        XCTAssertNil(outcome.alarm)
        XCTAssertEqual(alarms.begin(until: 30, number: 4), 30)
    }

    func testAShorterPauseHasAnAlarmOfItsOwn() {
        var alarms = PauseAlarms<Int>()
        XCTAssertEqual(alarms.begin(until: 10, number: 1), 10)
        XCTAssertEqual(alarms.begin(until: 5, number: 2), 5)
        XCTAssertEqual(alarms.alarmDidFire(5).ended, 2)
        let outcome = alarms.alarmDidFire(10)
        XCTAssertNil(outcome.ended)
        XCTAssertNil(outcome.alarm)
    }

    /// Two threads begin the pauses that a machine has decided, in another order.
    func testAPauseThatWasDecidedEarlierDoesNotReplaceALaterOne() {
        var alarms = PauseAlarms<Int>()
        XCTAssertEqual(alarms.begin(until: 10, number: 2), 10)
        XCTAssertNil(alarms.begin(until: 5, number: 1))
        XCTAssertEqual(alarms.alarmDidFire(10).ended, 2)
        XCTAssertNil(alarms.begin(until: 20, number: 1))
    }
}
