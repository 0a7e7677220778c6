import Vigil
import VigilRandomSQL

/// Another connection to the observed file.
final class OtherWriter {
    private let writer: any DatabaseWriter
    private let runner: StatementRunner

    init(_ writer: any DatabaseWriter) {
        self.writer = writer
        runner = StatementRunner(writer)
    }

    func run(_ unit: [RandomWrites.Statement]) -> [String] {
        runner.run(unit).map { "another connection: \($0)" }
    }

    func close() { try? writer.close() }
}
