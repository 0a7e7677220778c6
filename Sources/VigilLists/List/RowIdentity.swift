/// The identity of a row of a list. It does not change while the row changes.
///
/// Rows of two versions of a list are the same row if their identities are equal.
public struct RowIdentity: Hashable, Sendable {
    enum Storage: Hashable, Sendable {
        case rowID(Int64)
        /// The row id in each table of a join; `nil` for a missing row.
        case rowIDs([Int64?])
        case position(Int)
    }

    let storage: Storage

    init(_ storage: Storage) { self.storage = storage }
}
