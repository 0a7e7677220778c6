#if GRDB
    import GRDB
#else
    import Vigil
#endif

/// A row with the code that `@Record("record")` writes. A test of the macros compares it: the benchmarks do
/// not depend on swift-syntax.
struct MacroRecord {
    var id: Int64?
    var name: String
    var score: Double
    var team: Int64
    var note: String?
}

/// The same row with the code that `@FetchedRecord` writes.
struct FetchedMacroRecord {
    var id: Int64
    var name: String
    var score: Double
    var team: Int64
    var note: String?
}

#if GRDB
    extension FetchedMacroRecord: Decodable, FetchableRecord {}

    extension MacroRecord: Codable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "record"
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }
#else
    nonisolated extension MacroRecord: Vigil.FetchableRecord, Vigil.TableRecord,
        Vigil.MutablePersistableRecord, Swift.Identifiable
    {
        enum Columns {
            static var id: Vigil.Column { Vigil.Column("id") }
            static var name: Vigil.Column { Vigil.Column("name") }
            static var score: Vigil.Column { Vigil.Column("score") }
            static var team: Vigil.Column { Vigil.Column("team") }
            static var note: Vigil.Column { Vigil.Column("note") }
        }

        static var databaseTableName: Swift.String { "record" }

        static var databaseSelection: [any Vigil.SQLSelectable] {
            [
                Vigil.Column("id"), Vigil.Column("name"), Vigil.Column("score"), Vigil.Column("team"),
                Vigil.Column("note"),
            ]
        }

        init(row: Vigil.Row) throws {
            let cells = row._recordCells(of: Self.self, ["id", "name", "score", "team", "note"])
            self.id = try row._recordValue("id", cells, at: 0)
            self.name = try row._recordValue("name", cells, at: 1)
            self.score = try row._recordValue("score", cells, at: 2)
            self.team = try row._recordValue("team", cells, at: 3)
            self.note = try row._recordValue("note", cells, at: 4)
        }

        func encode(to container: inout Vigil.PersistenceContainer) throws {
            container._setRecordValue("id", self.id)
            container._setRecordValue("name", self.name)
            container._setRecordValue("score", self.score)
            container._setRecordValue("team", self.team)
            container._setRecordValue("note", self.note)
        }

        mutating func didInsert(_ inserted: Vigil.InsertionSuccess) {
            if inserted._recordKeyColumn?.lowercased() == "id" { self.id = inserted.rowID }
        }
    }

    nonisolated extension FetchedMacroRecord: Vigil.FetchableRecord {
        init(row: Vigil.Row) throws {
            let cells = row._recordCells(of: Self.self, ["id", "name", "score", "team", "note"])
            self.id = try row._recordValue("id", cells, at: 0)
            self.name = try row._recordValue("name", cells, at: 1)
            self.score = try row._recordValue("score", cells, at: 2)
            self.team = try row._recordValue("team", cells, at: 3)
            self.note = try row._recordValue("note", cells, at: 4)
        }
    }
#endif
