/// The number of fetches, and the number of values that differed from the previous ones. Changes of the
/// schema are not counted, because all queries are fetched after them.
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

/// The number of lists and of their fetches.
struct ListTally: CustomStringConvertible {
    var queries = 0
    var followed = 0
    /// The number of followed lists that show some of the rows.
    var windows = 0
    /// The number of lists that were delivered.
    var states = 0
    var rowFetches = 0
    /// The fetches of rows of lists with links.
    var linkedRowFetches = 0
    var fullFetches: [String: Int] = [:]

    static func += (a: inout ListTally, b: ListTally) {
        a.queries += b.queries
        a.followed += b.followed
        a.windows += b.windows
        a.states += b.states
        a.rowFetches += b.rowFetches
        a.linkedRowFetches += b.linkedRowFetches
        a.fullFetches.merge(b.fullFetches, uniquingKeysWith: +)
    }

    var description: String {
        let reasons = fullFetches.sorted { $0.value > $1.value }.prefix(12).map { "\($0.value) \($0.key)" }
        return
            "\(queries) lists, \(followed) followed, \(windows) windows, \(states) versions, \(rowFetches) fetches of rows, "
            + "\(linkedRowFetches) of lists with values, "
            + "fetches of all rows: \(reasons.joined(separator: ", "))"
    }
}

/// The tally of all queries, and the tally of the queries whose conditions are completely recognized.
struct OracleTallies: CustomStringConvertible {
    var all = OracleTally()
    var precise = OracleTally()
    var lists = ListTally()

    static func += (a: inout OracleTallies, b: OracleTallies) {
        a.all += b.all
        a.precise += b.precise
        a.lists += b.lists
    }

    var description: String {
        "\(all); precise queries: \(precise.fetches) fetches, \(precise.needed) needed: \(precise.ratio)"
    }
}
