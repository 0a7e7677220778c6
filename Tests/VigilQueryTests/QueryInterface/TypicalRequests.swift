import Vigil

// Requests as programs write them, with many terms. `CompilerTests` checks that each of them is
// type-checked quickly.

struct Musician: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64
    var bandId: Int64?
    var name: String
    var email: String?
    var score: Int
    var bonus: Double
    var info: String?

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let bandId = Column(CodingKeys.bandId)
        static let name = Column(CodingKeys.name)
        static let email = Column(CodingKeys.email)
        static let score = Column(CodingKeys.score)
        static let bonus = Column(CodingKeys.bonus)
        static let info = JSONColumn(CodingKeys.info)
    }
}

enum TypicalRequests {
    /// A condition of six terms, with columns from key paths.
    static let filteredByClosure = Musician.filter {
        $0.score > 10 && $0.bonus >= 1.5 && $0.name != "Ada" && $0.email != nil && $0.bandId == 3
            && $0.id <= 1000
    }

    /// The same condition, with columns by name.
    static let filteredByColumns = Musician.filter(
        Column("score") > 10 && Column("bonus") >= 1.5 && Column("name") != "Ada" && Column("email") != nil
            && Column("bandId") == 3 && Column("id") <= 1000)

    static let filteredByAlternatives = Musician.filter {
        ($0.score > 10 && $0.bonus > 2) || ($0.score < 5 && $0.name.like("A%"))
            || ([1, 2, 3].contains($0.id) && !(1...9).contains($0.score))
    }

    static let filteredByArithmetic = Musician.filter {
        ($0.score * 2 + 1) / 3 + $0.id - 7 > $0.bonus * 1.5 + 2 && ($0.score & 7) != 0
    }

    static func filteredByVariables(_ band: Int64?, minimum: Int, prefix: String) -> QueryInterfaceRequest<
        Musician
    > {
        Musician.filter {
            $0.bandId == band && $0.score >= minimum && $0.score < minimum + 10 && $0.name.like(prefix + "%")
                && ($0.email ?? "none") != "none" && length($0.name) > 3
        }
    }

    static let composed =
        Musician
        .select { [$0.bandId, max($0.score).forKey("best"), count($0.id), average($0.bonus)] }
        .filter { $0.score > 10 && $0.email != nil }
        .group { $0.bandId }
        .having { count($0.id) > 1 && max($0.score) > 15 }
        .order { [$0.bandId.desc, max($0.score).ascNullsLast] }
        .limit(10, offset: 5)
        .asRequest(of: Row.self)

    static let withSubqueries = Musician.filter {
        Musician.select(max(Column("score"))) == $0.score
            && Musician.filter { $0.score > 3 }.select { $0.id }.contains($0.id)
    }

    static let assignments = [
        Musician.Columns.score += 10, Musician.Columns.bonus.set(to: Musician.Columns.score * 2 + 1),
        Musician.Columns.email.set(to: nil),
        Musician.Columns.name.set(to: Musician.Columns.name.uppercased),
    ]

    static let withJSON = Musician.filter {
        $0.info["city"] == "Paris" && $0.info["age"] > 18
            && Database.jsonArrayLength($0.info, atPath: "$.tags") > 2
    }
}
