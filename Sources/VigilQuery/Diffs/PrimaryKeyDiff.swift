/// The difference between two lists of records whose order does not matter.
///
/// ```swift
/// for place in diff.deleted { map.remove(place) }
/// for place in diff.inserted { map.add(place) }
/// for place in diff.updated { map.move(place) }
/// ```
///
/// Differences are computed by ``PrimaryKeyDiffScanner``, by `ValueObservation.trackingDiffs(_:updateRecord:)`, and by
/// the operator `diffs()` of observations and sequences.
public struct PrimaryKeyDiff<Record> {
    /// The records of the second list that are not in the first one.
    public let inserted: [Record]
    /// The records that are in both lists, with different contents, as they are in the second one.
    public let updated: [Record]
    /// The records of the first list that are not in the second one.
    public let deleted: [Record]

    /// Creates a difference.
    public init(inserted: [Record] = [], updated: [Record] = [], deleted: [Record] = []) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// Whether the lists contain the same records.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension PrimaryKeyDiff: Sendable where Record: Sendable {}
extension PrimaryKeyDiff: Equatable where Record: Equatable {}
