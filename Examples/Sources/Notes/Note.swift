import Foundation
import Vigil

struct Note: Codable, Identifiable, Equatable, Sendable {
    /// `nil` until the note is inserted.
    var id: Int64?
    var title: String
    var text: String
    var isPinned = false
    var modifiedAt: Date
}

extension Note: FetchableRecord, MutablePersistableRecord {
    enum Columns {
        static let title = Column(CodingKeys.title)
        static let text = Column(CodingKeys.text)
        static let isPinned = Column(CodingKeys.isPinned)
        static let modifiedAt = Column(CodingKeys.modifiedAt)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }

    /// All notes: pinned ones first, then the latest.
    static func list() -> QueryInterfaceRequest<Note> {
        order(Columns.isPinned.desc, Columns.modifiedAt.desc)
    }

    /// The notes whose title or text contains a word.
    static func containing(_ word: String) -> QueryInterfaceRequest<Note> {
        let pattern = "%\(word)%"
        return list().filter(Columns.title.like(pattern) || Columns.text.like(pattern))
    }
}
