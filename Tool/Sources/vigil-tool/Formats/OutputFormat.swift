import ArgumentParser
import Foundation

/// The values of the option `--format`.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table
    case json
    case csv

    /// Returns a presenter for standard output, with tables redrawn in place on a terminal if `redraws`.
    func presenter(sql: String, redraws: Bool) -> any Presenter {
        switch self {
        case .table:
            guard redraws, let screen = TerminalScreen.ofStandardOutput() else {
                return StreamPresenter(output: .standard, format: TableFormat())
            }
            return ScreenPresenter(screen: screen, sql: sql)
        case .json: return StreamPresenter(output: .standard, format: JSONFormat())
        case .csv:
            return StreamPresenter(
                output: .standard, format: CSVFormat(isForTerminal: isatty(STDOUT_FILENO) == 1))
        }
    }
}
