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
                "server: ready, with \(server.slots.freeCount) free slots and \(server.senders.freeCount) free senders"
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
        table.isReported ? "reported by row" : "\(gap(in: table)): each commit on the server counts"
    }

    /// Returns why changes of a table are not reported by row.
    private func gap(in table: PublicationTable) -> String {
        if let obstacle = obstacle(table) { return "not reported, because \(obstacle)" }
        if let filtered = filtered(table) {
            return "not reported, because the publication has a row filter or a list of columns for "
                + (filtered == table ? "it" : filtered.spelling)
        }
        if server.publishesRoots, table.kind == .partitioned || table.isPartition {
            return "not reported, because the publication has publish_via_partition_root"
        }
        let missing = table.parts.filter { !$0.isPublished }
        if !table.isPublished, missing.count == table.parts.count { return "not published" }
        return missing.isEmpty
            ? "not reported, because a name is reserved or differs from another one only in case"
            : "not published completely, without \(missing.map(\.spelling).joined(separator: ", "))"
    }

    /// Returns why a table cannot be reported.
    private func obstacle(_ table: PublicationTable) -> String? {
        for part in table.parts {
            let name = part == table ? "it" : part.spelling
            switch part.kind {
            case .unlogged: return "\(name) is unlogged"
            case .foreign: return "\(name) is on another server"
            case .otherAccessMethod: return "\(name) has another access method than heap"
            case .ordinary, .partitioned: break
            }
        }
        return nil
    }

    private func filtered(_ table: PublicationTable) -> PublicationTable? {
        ([table] + table.descendants).first(where: \.isFiltered)
    }

    private func detail(_ table: PublicationTable) -> [String] {
        guard table.kind == .ordinary else {
            return table.kind == .partitioned ? ["partitioned: see its partitions"] : []
        }
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
        let settings = server.problems.compactMap { problem in
            problem.sql.map { "\($0);  -- \(problem.reason)" }
        }
        var lines: [String] = []
        var added: [String] = []
        let publication = server.publication.quoted
        for table in tables where !table.isPartition {
            if let exclusion = exclusion(of: table) {
                lines += exclusion
                continue
            }
            if table.kind == .partitioned, server.publishesRoots {
                lines.append(
                    "-- \(table.spelling) is not reported by row: the publication has publish_via_partition_root. Remedy:"
                )
                lines.append("-- ALTER PUBLICATION \(publication) SET (publish_via_partition_root = false);")
            }
            added += table.additions
        }
        if !added.isEmpty {
            let names = added.joined(separator: ", ")
            lines.append(
                server.hasPublication
                    ? "ALTER PUBLICATION \(publication) ADD TABLE \(names);"
                    : "CREATE PUBLICATION \(publication) FOR TABLE \(names);")
        }
        // The administrator may have another search path.
        if !lines.isEmpty, !["", "public"].contains(server.searchPath) {
            lines.insert("SET search_path = \(server.searchPath);", at: 0)
        }
        lines = settings + lines
        if lines.isEmpty { lines = ["-- nothing is left to do"] }
        return text(lines)
    }

    /// Returns why a table is not added to the publication, and the remedy.
    private func exclusion(of table: PublicationTable) -> [String]? {
        if let obstacle = obstacle(table) { return ["-- \(table.spelling) is left out: \(obstacle)"] }
        let refused = table.parts.filter { $0.identity == .none }
        if !refused.isEmpty {
            return [
                "-- \(table.spelling) is left out: the server would refuse its updates and deletions. Remedy:"
            ] + refused.map { "-- ALTER TABLE \($0.spelling) \(identity(for: $0))" }
        }
        return filtered(table).map {
            [
                "-- \($0.spelling) has a row filter or a list of columns: remove it from the publication, and add it again"
            ]
        }
    }

    private func identity(for table: PublicationTable) -> String {
        if table.hasPrimaryKey { return "REPLICA IDENTITY DEFAULT;" }
        // The table above has the primary key of a partition.
        return table.isPartition
            ? "REPLICA IDENTITY FULL;" : "ADD PRIMARY KEY (…);  -- or REPLICA IDENTITY FULL"
    }
}
