import BenchmarkReport

extension Report {
    /// Returns a report with the given rounds, on a fictitious machine.
    static func fixture(_ figures: [(cell: Cell, rounds: [RoundResult])], isQuick: Bool = false) -> Report {
        var builder = ReportBuilder()
        for (cell, rounds) in figures {
            for round in rounds { builder.add(.result(round), to: cell) }
        }
        let machine = Machine(
            system: "Linux", processor: "a processor", cores: 2, memoryBytes: 1 << 30, swift: "Swift 6.3",
            sqlite: "3.40.1", loadBefore: 0.5, loadAfter: 1)
        return Report(
            machine: machine, date: "2026-01-02", rounds: figures.map(\.rounds.count).max() ?? 0,
            isQuick: isQuick, engines: Engine.standard, scenarios: builder.scenarios())
    }
}

extension RoundResult {
    /// Returns one round per figure, all with the same counts.
    static func rounds(
        _ values: [Double], operations: Int = 1, fetches: Int? = nil, notifications: Int? = nil
    ) -> [RoundResult] {
        values.map {
            RoundResult(value: $0, operations: operations, fetches: fetches, notifications: notifications)
        }
    }
}
