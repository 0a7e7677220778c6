extension Row: CustomStringConvertible, CustomDebugStringConvertible {
    /// The columns and their values: `[id:1 name:"Arthur" photo:Data(512 bytes)]`.
    public var description: String {
        "[" + map { "\($0.0):\($0.1.description)" }.joined(separator: " ") + "]"
    }

    /// The ``description`` and, if the row is adapted, the unadapted row, the scopes, and the numbers of
    /// prefetched rows:
    ///
    /// ```
    /// ▿ [id:1 name:"Arthur"]
    ///   unadapted: [id:1 name:"Arthur" id:2 name:"Reds"]
    ///   - team: [id:2 name:"Reds"]
    ///   + medals: 3 rows
    /// ```
    public var debugDescription: String {
        let details = details(indentation: "  ")
        let unadapted = unadapted
        if details.isEmpty && self == unadapted { return description }
        let base = self == unadapted ? "" : "\n  unadapted: \(unadapted.description)"
        return "▿ \(description)\(base)\(details)"
    }

    private func details(indentation: String) -> String {
        let scopes = scopes.map { name, row in
            "\n\(indentation)- \(name): \(row.description)\(row.details(indentation: indentation + "  "))"
        }
        let prefetched = prefetchedRows.keys.sorted().map { key in
            let count = prefetchedRows[key]?.count ?? 0
            return "\n\(indentation)+ \(key): \(count) \(count < 2 ? "row" : "rows")"
        }
        return (scopes + prefetched).joined()
    }
}
