import VigilStorage

/// Row changes that the library told of, in their order, from the first one on that waits for its values.
///
/// The update hook comes first, then what foreign keys do on account of the change, then the trigger with the values.
/// So what comes in between is held back too: nobody sees another order of changes than without triggers.
struct HeldChanges {
    struct Entry {
        let target: ChangeReporter.CurrentTable
        let kind: RowChange.Kind
        /// As the update hook tells it: the one before the change only for a deletion.
        let key: Int64
        /// The key before the change, once it is known.
        var oldKey: Int64?
        /// Whether the row may have had another key, so that the change is not told by ``key`` alone.
        let mayHaveMoved: Bool
        var isWaiting: Bool
        var images: TriggeredRowImages?
    }

    /// How many are held at most: more wait only where a trigger of the user's keeps others from running, or
    /// foreign keys do much on account of one row.
    static let limit = 256

    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    var isFull: Bool { entries.count >= Self.limit }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
    }

    /// The change whose values these are: the last one that waits for such, since whatever a change brings about ends
    /// before its own trigger runs.
    func position(of part: RowImagePlan.Part, key: Int64) -> Int? {
        entries.lastIndex {
            $0.isWaiting && $0.key == key && $0.kind == part.kind && $0.target.plan === part.plan
        }
    }

    mutating func settle(at position: Int, oldKey: Int64, images: TriggeredRowImages) {
        entries[position].isWaiting = false
        entries[position].oldKey = oldKey
        entries[position].images = images
    }

    /// Removes the first change, to be told.
    mutating func takeFirst() -> Entry {
        guard entries.count == 1 else { return entries.removeFirst() }
        let entry = entries[0]
        entries.removeAll(keepingCapacity: true)
        return entry
    }

    /// Removes the first change if it does not wait any more.
    mutating func takeSettled() -> Entry? {
        guard let first = entries.first, !first.isWaiting else { return nil }
        return takeFirst()
    }

    mutating func takeAll() -> [Entry] {
        defer { entries.removeAll(keepingCapacity: true) }
        return entries
    }
}
