import Vigil

/// The output of `vigil postgres doctor` and `vigil postgres setup`.
struct PublicationReport {
    var server: ServerSettings
    var tables: [PublicationTable]

    /// A name with the end of a line in it must not end a comment.
    private func text(_ lines: [String]) -> String {
        lines.map { TerminalText.safe($0) + "\n" }.joined()
    }

    // MARK: - Doctor

    var doctor: String {
        let settings =
            server.problems.isEmpty
            ? [
                "server: ready, with \(server.freeSlotCount) free slots and \(server.freeSenderCount) free senders"
            ]
            : server.problems.flatMap { problem in
                ["server: \(problem.reason)"] + (problem.sql.map { ["  better: \($0);"] } ?? [])
            }
        return text(settings + tables.flatMap(lines))
    }

    private func lines(_ table: PublicationTable) -> [String] {
        ["\(table.spelling): \(state(table))"] + detail(table).map { "  \($0)" }
    }

    private func state(_ table: PublicationTable) -> String {
        if let obstacle = obstacle(table) { return obstacle }
        if table.isFiltered {
            return "not reported, because the publication has a row filter or a list of columns for it"
        }
        return table.isPublished ? "reported by row" : "not published: each commit on the server counts"
    }

    /// Returns why a table cannot be reported.
    private func obstacle(_ table: PublicationTable) -> String? {
        switch table.kind {
        case .unlogged: "not reported, because it is unlogged: each commit on the server counts"
        case .foreign: "not reported, because it is on another server: each commit on the server counts"
        case .ordinary, .partitioned: nil
        }
    }

    private func detail(_ table: PublicationTable) -> [String] {
        guard obstacle(table) == nil else { return [] }
        if table.kind == .partitioned { return ["partitioned: see its partitions"] }
        var lines: [String] = []
        switch table.identity {
        case .full: lines.append("identity: the whole row; all conditions and columns are exact")
        case .columns(let columns, let isPrimaryKey):
            let names = columns.joined(separator: ", ")
            lines.append("identity: \(isPrimaryKey ? "the primary key" : "an index") (\(names))")
            lines.append(
                "exact: inserted rows; conditions on \(names) for updates and deletions, which match any other condition"
            )
        case .none:
            lines.append(
                "identity: none; the server refuses updates and deletions while the table is published")
        }
        if let improvement = table.improvement {
            lines.append("better: \(improvement.sql);")
            lines.append("        \(improvement.price)")
        }
        return lines
    }

    // MARK: - Setup

    var setup: String {
        var lines = server.problems.compactMap { problem in problem.sql.map { "\($0);  -- \(problem.reason)" }
        }
        var added: [PublicationTable] = []
        for table in tables where !table.isPartition {
            if obstacle(table) != nil {
                lines.append(
                    "-- \(table.spelling) is left out: \(table.kind == .foreign ? "it is on another server" : "it is unlogged")"
                )
            } else if table.identity == .none, table.kind == .ordinary {
                lines.append(
                    "-- \(table.spelling) is left out: the server would refuse its updates and deletions. Remedy:"
                )
                lines.append(
                    table.hasPrimaryKey
                        ? "-- ALTER TABLE \(table.spelling) REPLICA IDENTITY DEFAULT;"
                        : "-- ALTER TABLE \(table.spelling) ADD PRIMARY KEY (…);  -- or REPLICA IDENTITY FULL"
                )
            } else if table.isFiltered {
                lines.append(
                    "-- \(table.spelling) has a row filter or a list of columns: remove it from the publication, and add it again"
                )
            } else if !table.isPublished {
                added.append(table)
            }
        }
        let names = added.map(\.spelling).joined(separator: ", ")
        let publication = SQLName.quoted(server.publication)
        if !added.isEmpty {
            lines.append(
                server.hasPublication
                    ? "ALTER PUBLICATION \(publication) ADD TABLE \(names);"
                    : "CREATE PUBLICATION \(publication) FOR TABLE \(names);")
        }
        if lines.isEmpty { lines = ["-- nothing is left to do"] }
        return text(lines)
    }
}
