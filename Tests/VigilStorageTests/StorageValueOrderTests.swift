import VigilStorage
import XCTest

/// The order of values of several types, as SQLite sorts them.
final class StorageValueOrderTests: XCTestCase {
    func testEachValueIsOrderedRelativeToEachOther() {
        // Values in one group are equal.
        let groups: [[StorageValue]] = [
            [.null], [.real(-.infinity)], [.integer(.min), .real(-0x1p63)], [.integer(.min + 1)],
            [.integer(-1), .real(-1)], [.real(-0.5)], [.integer(0), .real(0), .real(-0.0)], [.real(0.5)],
            [.integer(1), .real(1)], [.integer(1 << 53), .real(0x1p53)], [.integer(1 << 53 + 1)],
            [.integer(.max)], [.real(0x1p63)], [.real(.infinity)], [.text("")], [.text("B")], [.text("a")],
            [.text("a\0")], [.text("ab")], [.text("é")], [.blob([])], [.blob([0])], [.blob([0, 1])],
            [.blob([1])],
        ]
        for (a, left) in groups.enumerated() {
            for (b, right) in groups.enumerated() {
                for one in left {
                    for two in right {
                        let expected = a < b ? -1 : a > b ? 1 : 0
                        XCTAssertEqual(one.order(to: two), expected, "\(one), \(two)")
                    }
                }
            }
        }
    }
}
