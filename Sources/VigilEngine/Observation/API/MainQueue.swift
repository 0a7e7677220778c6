import Dispatch
import Foundation

/// Detects the main queue. In a program that calls `dispatchMain`, as programs with an asynchronous `main` do
/// on Linux, the main queue is not bound to the main thread.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true
    }
}
