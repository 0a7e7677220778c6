/// What the last commits changed.
///
/// Somebody who read the database as of a commit asks here whether what he read is still true. The log
/// forgets old commits, and then answers that it may not be.
package struct ChangeLog: Sendable {
    /// The number of commits that are kept.
    package let capacity: Int
    /// The number of the last commit.
    package private(set) var last: CommitNumber
    private var ring: [ChangeSet] = []
    /// Where the next commit goes.
    private var end = 0

    /// - Parameter last: the number of the last commit, whose changes the log does not know.
    package init(capacity: Int, last: CommitNumber = .zero) {
        precondition(capacity >= 0, "a change log cannot keep \(capacity) commits")
        self.capacity = capacity
        self.last = last
    }

    /// Adds the next commit.
    @discardableResult
    package mutating func append(_ changes: ChangeSet) -> CommitNumber {
        last = last.next
        guard capacity > 0 else { return last }
        if ring.count < capacity { ring.append(changes) } else { ring[end] = changes }
        end = (end + 1) % capacity
        return last
    }

    /// Whether anything in the region was changed after a commit, up to now.
    ///
    /// `true` if the log no longer reaches back to that commit.
    package func isModified(_ region: DatabaseRegion, after commit: CommitNumber) -> Bool {
        guard commit < last else { return false }
        let missed = last.rawValue - commit.rawValue
        guard missed <= UInt64(ring.count) else { return true }
        return (1...Int(missed)).contains { age in
            let position = end >= age ? end - age : end - age + ring.count
            return region.isModified(by: ring[position])
        }
    }
}
