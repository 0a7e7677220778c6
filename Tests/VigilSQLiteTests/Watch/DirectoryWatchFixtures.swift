import Dispatch
import Foundation
import Synchronization
import XCTest

extension TemporaryDirectory {
    /// Appends to a file, and creates it if necessary.
    func write(_ name: String) throws { try append(to: file(name)) }
}

func append(to path: String) throws {
    guard let file = fopen(path, "a") else { throw POSIXError(.EIO) }
    fputs("x", file)
    fclose(file)
}

/// A counter that a test can wait for.
final class Count: Sendable {
    private let count = Mutex(0)
    private let didChange = DispatchSemaphore(value: 0)

    var value: Int { count.withLock { $0 } }

    func increase() {
        count.withLock { $0 += 1 }
        didChange.signal()
    }

    /// Waits until `value` is at least `least`.
    func await(_ least: Int, file: StaticString = #filePath, line: UInt = #line) {
        while value < least {
            guard didChange.wait(timeout: .now() + 30) == .success else {
                return XCTFail("\(value) hints instead of \(least)", file: file, line: line)
            }
        }
    }
}
