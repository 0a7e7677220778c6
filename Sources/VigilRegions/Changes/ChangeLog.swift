import VigilStorage

/// The changes of recent commits.
///
/// A reader with a value as of a commit asks the log whether the value is still current. The log keeps a
/// limited number of commits. If it no longer reaches back to the reader's commit, the value counts as
/// outdated.
///
/// The number of row ids is limited too: for older commits with many changed rows, the log keeps only the
/// tables.
package struct ChangeLog: Sendable {
    /// The greatest number of row ids kept in all commits with more than ``ChangeSet/defaultRowLimit`` of
    /// them, 1 MB.
    package static let rowLimit = 4 * ChangeSet.listRowLimit

    /// The number of commits to keep.
    package private(set) var capacity: Int
    package private(set) var last: CommitNumber
    private var ring: [ChangeSet] = []
    /// The index of the next commit.
    private var end = 0

    /// Creates a log without commits. The changes of the commit `last` are unknown.
    package init(capacity: Int, last: CommitNumber = .zero) {
        trap(unless: capacity >= 0, "the capacity of a change log must not be negative: \(capacity)")
        self.capacity = capacity
        self.last = last
    }

    /// Sets the number of commits to keep. A capacity of 0 removes all commits.
    ///
    /// - Precondition: The capacity is 0 before or afterwards.
    package mutating func setCapacity(_ capacity: Int) {
        trap(unless: self.capacity == 0 || capacity == 0, "a log with commits cannot change its capacity")
        self.capacity = capacity
        ring = []
        end = 0
    }

    /// Returns the changes of all commits after `commit`; `nil` if the log no longer reaches back to it.
    package func changes(after commit: CommitNumber) -> ChangeSet? {
        guard commit < last else { return ChangeSet() }
        let missed = last.rawValue - commit.rawValue
        guard missed <= UInt64(ring.count) else { return nil }
        var changes = ChangeSet()
        for age in (1...Int(missed)).reversed() {
            changes.formUnion(ring[position(age: age)], rowLimit: ChangeSet.listRowLimit)
        }
        return changes
    }

    /// Returns the index of a commit. The last one has the age 1.
    private func position(age: Int) -> Int { end >= age ? end - age : end - age + ring.count }

    /// Appends the next commit.
    @discardableResult
    package mutating func append(_ changes: ChangeSet) -> CommitNumber {
        last = last.next
        guard capacity > 0 else { return last }
        if ring.count < capacity { ring.append(changes) } else { ring[end] = changes }
        end = (end + 1) % capacity
        if changes.rowIDCount > ChangeSet.defaultRowLimit { limitRowIDs() }
        return last
    }

    /// Removes the row ids of the oldest commits with many of them if the log has too many.
    private mutating func limitRowIDs() {
        var total = 0
        for age in 1...ring.count {
            let count = ring[position(age: age)].rowIDCount
            guard count > ChangeSet.defaultRowLimit else { continue }
            total += count
            if total > Self.rowLimit {
                ring[position(age: age)].forgetRowIDs(beyond: ChangeSet.defaultRowLimit)
            }
        }
    }

    /// Returns the last commit after `commit` with changes in the region; `nil` if the region is unmodified.
    ///
    /// Returns the last commit if the log no longer reaches back to `commit`.
    package func lastModification(of region: DatabaseRegion, after commit: CommitNumber) -> CommitNumber? {
        guard commit < last else { return nil }
        let missed = last.rawValue - commit.rawValue
        guard missed <= UInt64(ring.count) else { return last }
        let found = (1...Int(missed)).first { age in
            region.isModified(by: ring[position(age: age)])
        }
        return found.map { CommitNumber(rawValue: last.rawValue - UInt64($0) + 1) }
    }
}

/// The position of a commit in the order of one connection's commits. Later commits have higher numbers.
public struct CommitNumber: Sendable, Hashable, Comparable {
    /// The number: 0 before the first commit, 1 for the first one.
    public let rawValue: UInt64

    /// Creates a commit number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The number before the first commit.
    public static let zero = CommitNumber(rawValue: 0)

    /// Returns whether a commit came before another one.
    public static func < (a: CommitNumber, b: CommitNumber) -> Bool { a.rawValue < b.rawValue }

    package var next: CommitNumber { CommitNumber(rawValue: rawValue + 1) }
}

extension CommitNumber: CustomStringConvertible {
    /// The number.
    public var description: String { "\(rawValue)" }
}
