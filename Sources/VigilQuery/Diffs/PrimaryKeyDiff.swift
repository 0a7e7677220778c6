/// The difference between two lists of records, regardless of their order.
///
/// ```swift
/// for place in diff.deleted { map.remove(place) }
/// for place in diff.inserted { map.add(place) }
/// for place in diff.updated { map.move(place) }
/// ```
///
/// Differences are computed by ``PrimaryKeyDiffScanner`` and by
/// `ValueObservation.trackingDiffs(_:updateRecord:)`.
public struct PrimaryKeyDiff<Record> {
    /// The records only in the second list.
    public let inserted: [Record]
    /// The records in both lists with different contents, as of the second list.
    public let updated: [Record]
    /// The records only in the first list.
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
