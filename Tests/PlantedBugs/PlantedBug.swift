import Foundation
import Synchronization

/// Whether VIGIL_BUG selects a bug.
package func isPlanted(_ name: String) -> Bool {
    getenv("VIGIL_BUG").map { String(cString: $0) } == name
}

private let callCount = Atomic(0)

/// Whether this is the tenth call since the last one for which it was.
package func isTenthCall() -> Bool {
    callCount.wrappingAdd(1, ordering: .relaxed).newValue.isMultiple(of: 10)
}

package func composed(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

package func appendByte(to path: String) {
    guard let file = FileHandle(forWritingAtPath: path) else { return }
    file.seekToEndOfFile()
    file.write(Data([1]))
}
