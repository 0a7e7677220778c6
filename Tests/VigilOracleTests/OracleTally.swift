/// The number of fetches, and the number of values that differed from the previous ones. Changes of the schema are not
/// counted, because all queries are fetched after them.
struct OracleTally: CustomStringConvertible {
    var commits = 0
    var fetches = 0
    var needed = 0
    var queries = 0

    static func += (a: inout OracleTally, b: OracleTally) {
        a.commits += b.commits
        a.fetches += b.fetches
        a.needed += b.needed
        a.queries += b.queries
    }

    /// The number of fetches per necessary fetch, such as `2.35`.
    var ratio: String {
        guard needed > 0 else { return "-" }
        let hundredths = (fetches * 100 + needed / 2) / needed
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    var description: String {
        "\(commits) units of writes, \(queries) queries, \(fetches) fetches, \(needed) needed: \(ratio)"
    }
}

/// The tally of all queries, and the tally of the queries whose conditions are completely recognized.
struct OracleTallies: CustomStringConvertible {
    var all = OracleTally()
    var precise = OracleTally()

    static func += (a: inout OracleTallies, b: OracleTallies) {
        a.all += b.all
        a.precise += b.precise
    }

    var description: String {
        "\(all); precise queries: \(precise.fetches) fetches, \(precise.needed) needed: \(precise.ratio)"
    }
}
