import CVigilSQLite
import VigilStorage

/// Row changes in the order of their reports, beginning with the first one without its values.
///
/// The library calls the update hook, then runs foreign key actions, then the trigger with the values. The
/// changes in between are queued too, to keep the order of changes.
struct ChangeQueue {
    struct Entry {
        let target: ChangeReporter.CurrentTable
        let kind: RowChange.Kind
        /// The key passed by the update hook: the old one only for a deletion.
        let key: Int64
        /// The key before the change, once it is known.
        var oldKey: Int64?
        /// Whether the row may have had another key, and ``key`` alone does not identify the change.
        let mayHaveMoved: Bool
        var isWaiting: Bool
        var images: TriggeredRowImages?
    }

    /// The maximum number of changes. More can only accumulate where a user's trigger prevents other
    /// triggers from running, or where foreign keys cause many changes of one row.
    static let limit = 256

    private(set) var entries: [Entry] = []
    /// The values of a change reported during the call of its trigger.
    let borrowedImages: TriggeredRowImages
    /// The values of an incomplete change: a part has arrived.
    private var gathered: TriggeredRowImages?
    private let api: UnsafePointer<vigil_sqlite_api>

    init(api: UnsafePointer<vigil_sqlite_api>) {
        self.api = api
        borrowedImages = TriggeredRowImages(api: api)
    }

    var isEmpty: Bool { entries.isEmpty }
    var isFull: Bool { entries.count >= Self.limit }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
    }

    /// Returns the position of the change with these values: the last one still waiting, because all effects
    /// of a change end before its own trigger runs.
    func position(of part: RowImagePlan.Part, key: Int64) -> Int? {
        entries.lastIndex {
            $0.isWaiting && $0.key == key && $0.kind == part.kind && $0.target.plan === part.plan
        }
    }

    /// Copies values: more calls follow, or they cannot be reported yet. Returns the values of the change if
    /// this was their last part.
    mutating func gather(
        _ cells: UnsafeMutablePointer<OpaquePointer?>, count: Int, of part: RowImagePlan.Part
    ) -> TriggeredRowImages? {
        if part.start == 0 { gathered = TriggeredRowImages(api: api) }
        gathered?.copy(cells, count: count, part)
        guard part.isLast else { return nil }
        defer { gathered = nil }
        return gathered
    }

    mutating func complete(at position: Int, oldKey: Int64, images: TriggeredRowImages) {
        entries[position].isWaiting = false
        entries[position].oldKey = oldKey
        entries[position].images = images
    }

    mutating func removeFirst() -> Entry {
        guard entries.count == 1 else { return entries.removeFirst() }
        let entry = entries[0]
        entries.removeAll(keepingCapacity: true)
        return entry
    }

    /// Removes and returns the first change if it does not wait for values.
    mutating func removeFirstIfComplete() -> Entry? {
        guard let first = entries.first, !first.isWaiting else { return nil }
        return removeFirst()
    }

    mutating func removeAll() -> [Entry] {
        defer { entries.removeAll(keepingCapacity: true) }
        return entries
    }
}
