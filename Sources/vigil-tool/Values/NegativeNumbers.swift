import Foundation

/// Lets `-5` be a value: the parser of arguments takes whatever begins with a dash for an option.
enum NegativeNumbers {
    private static let mark = "number:"

    /// Marks negative numbers; no option looks like one.
    static func marked(_ arguments: [String]) -> [String] {
        arguments.map { isNegativeNumber($0) ? mark + $0 : $0 }
    }

    /// The argument as it was typed.
    static func unmarked(_ argument: String) -> String {
        guard argument.hasPrefix(mark) else { return argument }
        let rest = String(argument.dropFirst(mark.count))
        return isNegativeNumber(rest) ? rest : argument
    }

    /// The parser's words about an argument, as that was typed.
    static func unmarked(message: String) -> String {
        message.replacingOccurrences(of: mark + "-", with: "-")
    }

    private static func isNegativeNumber(_ argument: String) -> Bool {
        argument.hasPrefix("-") && BoundValue.number(argument) != nil
    }
}
