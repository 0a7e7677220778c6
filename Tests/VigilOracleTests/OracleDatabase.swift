import Foundation
import Vigil
import VigilRandomSQL
import VigilTesting

/// The database of a run, in a folder of its own, and the statements that were run on it.
final class OracleDatabase {
    let setting: OracleSetting
    let seed: UInt64
    let writer: any DatabaseWriter
    private let runner: StatementRunner
    private let other: OtherWriter?
    private let folder: String
    /// The executed statements, for reproducing a failure.
    private var history: [String] = []

    init(_ setting: OracleSetting, seed: UInt64) throws {
        self.setting = setting
        self.seed = seed
        folder = NSTemporaryDirectory() + "vigil-oracle-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        writer = try setting.open(folder, seed: seed)
        runner = StatementRunner(writer)
        other = try setting.hasOtherWriter ? OtherWriter(setting.openOther(folder)) : nil
    }

    deinit {
        other?.close()
        try? writer.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func write(_ statements: [String]) { history += runner.run(statements.map { .init(sql: $0) }) }

    var hasOtherWriter: Bool { other != nil }

    func writeElsewhere(_ statements: [String]) {
        history += other?.run(statements.filter { $0 != "VACUUM" }.map { .init(sql: $0) }) ?? []
    }

    /// Returns a reproducible description of the first complaint; `nil` without any.
    ///
    /// Waits for values that may be late: of throttled observations, and of a pool, where commits of another
    /// connection are detected with a delay, and an observation of each commit may deliver after the readers
    /// are idle.
    ///
    /// - Parameter complaint: returns a complaint, if possible one about a value that cannot be late.
    func failure(_ complaint: () -> (text: String, mayBeLate: Bool)?) throws -> String? {
        let end = Date() + 20
        while let (text, mayBeLate) = complaint() {
            if setting.isPool || mayBeLate, Date() < end {
                try writer.waitForFetches()
                continue
            }
            return """
                \(setting.description), VIGIL_SEED=\(seed)
                \(text)
                \(history.joined(separator: ";\n"))
                """
        }
        return nil
    }
}

extension OracleSetting {
    /// Runs a test in random worlds, with each library, on queues and on pools, until three runs have failed.
    ///
    /// - Parameters:
    ///   - name: the name of the test in its output.
    ///   - run: runs a world, and returns a description of a failure, if any.
    /// - Returns: the number of worlds, and the failures.
    static func inRandomWorlds(
        _ name: String, keepsRows: Bool = false, run: (OracleDatabase) throws -> String?
    ) throws -> (count: Int, failures: [String]) {
        let (first, start) = (RandomTestSettings.seed, Date())
        print("\(name): VIGIL_SEED=\(first)")
        var (count, failures) = (0, [String]())
        while failures.count < 3, RandomTestSettings.goesOn(after: count, of: 1, since: start) {
            for setting in all {
                let seed = first &+ UInt64(count)
                var setting = setting
                setting.hasOtherWriter = setting.isPool && seed % 3 == 1
                setting.keptStatementCount = keptStatementCounts[Int(seed % 3)]
                setting.keepsRows = keepsRows
                if let failure = try run(OracleDatabase(setting, seed: seed)) { failures.append(failure) }
            }
            count += 1
        }
        return (count, failures)
    }
}
