import Foundation
import Vigil

/// How the rows of one moment become text, for files, pipes and other programs.
protocol RowFormat: Sendable {
    /// What stands between two results.
    var separator: String { get }

    /// The text of a result, with the end of its last line.
    ///
    /// - Parameter number: how many results came before.
    func text(_ result: QueryResult, number: Int) -> String
}

extension Data {
    /// As a blob is written in SQL: `x'0aff'`.
    var blobLiteral: String {
        let digits = Array("0123456789abcdef".utf8)
        return "x'"
            + String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self) + "'"
    }
}
