import CVigilSQLite
import VigilStorage

/// Row changes in the order of their reports, beginning with the first one that waits for its values.
///
/// The update hook is called first, then foreign key actions run, then the trigger supplies the values. The
/// changes in between are held back too, so that triggers do not alter the order of changes.
struct HeldChanges {
    struct Entry {
        let target: ChangeReporter.CurrentTable
        let kind: RowChange.Kind
        /// The key that the update hook reports: the old one only for a deletion.
        let key: Int64
        /// The key before the change, once it is known.
        var oldKey: Int64?
        /// Whether the row may have had another key, so that ``key`` alone does not identify the change.
        let mayHaveMoved: Bool
        var isWaiting: Bool
        var images: TriggeredRowImages?
    }

    /// The maximum number of held changes. More can only accumulate where a user's trigger prevents other
    /// triggers from running, or where foreign keys cause many changes of one row.
    static let limit = 256

    private(set) var entries: [Entry] = []
    /// The values of a change that is reported during the call that supplies them.
    let borrowedImages: TriggeredRowImages
    /// The values of a change of which a part has arrived.
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

    /// Returns the position of the change that these values belong to: the last one that waits for values,
    /// because all effects of a change end before its own trigger runs.
    func position(of part: RowImagePlan.Part, key: Int64) -> Int? {
        entries.lastIndex {
            $0.isWaiting && $0.key == key && $0.kind == part.kind && $0.target.plan === part.plan
        }
    }

    /// Copies values that arrive in several calls, or before they can be reported.
    ///
    /// - Returns: the values of the change if this was their last part.
    mutating func gather(
        _ cells: UnsafeMutablePointer<OpaquePointer?>, _ count: Int, _ part: RowImagePlan.Part
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

    /// Removes and returns the first change.
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
