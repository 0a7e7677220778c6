import Foundation
import Vigil

/// Formats results as text for files, pipes and other programs.
protocol RowFormat: Sendable {
    /// The text between two results.
    var separator: String { get }

    /// Returns the text of a report, including the last line terminator.
    func text(_ report: WatchReport) -> String
}

extension Data {
    /// The data as an SQL blob literal: `x'0aff'`.
    var blobLiteral: String {
        let digits = Array("0123456789abcdef".utf8)
        return "x'"
            + String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self) + "'"
    }
}
