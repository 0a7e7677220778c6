/// How often was fetched, and how often a value was another one than before. Changes of the schema are left out there:
/// everybody fetches after one.
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

    /// Fetches for each one that was needed, such as `2.35`.
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

/// The tally of all queries, and that of those of which all is known that they say about rows.
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
