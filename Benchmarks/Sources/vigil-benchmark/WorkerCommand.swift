import ArgumentParser
import BenchmarkReport
import BenchmarkWork
import CWorkload
import Foundation
import GRDBWorkload
import VigilWorkload

/// Runs one round, and prints its measurements as one line of JSON.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

    @Argument var engine: Engine
    @Argument var scenario: ScenarioName
    @Argument var n: Int
    @Flag var quick = false
    /// The maximum number of operations of each loop, which then runs for up to ten minutes. For profilers.
    @Option var operations: Int?

    func run() throws {
        let request = RoundRequest(
            scenario: scenario, n: n, effort: effort,
            writerCommand: [executablePath, "foreign-writer", engine.rawValue])
        let line: WorkerLine
        do {
            var result = try workload.run(request)
            result.peakBytes = ProcessMemory.peakBytes
            line = .result(result)
        } catch let absence as Absence {
            line = .absent(reason: absence.reason)
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(line) + Data("\n".utf8))
    }

    private var effort: Effort {
        if let operations { return .profile(operations: operations) }
        return quick ? .quick : .full
    }

    private var workload: any Workload {
        switch engine {
        case .vigil: VigilWorkload.ObservedWorkload(.plain)
        case .vigilSQLCipher: VigilWorkload.ObservedWorkload(.encrypted)
        case .grdb: GRDBWorkload.ObservedWorkload(.best)
        case .grdbTracking: GRDBWorkload.ObservedWorkload(.tracking)
        case .c: CWorkload()
        }
    }
}

/// Writes into a database that a worker process observes.
struct ForeignWriterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "foreign-writer", shouldDisplay: false)

    @Argument var engine: Engine
    @Argument var path: String
    @Argument var count: Int
    @Argument var firstRow: Int
    @Argument var lastRow: Int
    @Flag var withoutPauses = false

    func run() throws {
        print(
            try VigilWorkload.ObservedWorkload(engine == .vigilSQLCipher ? .encrypted : .plain)
                .writeForOthers(
                    path: path, count: count, rows: firstRow...lastRow, pauses: !withoutPauses))
    }
}
