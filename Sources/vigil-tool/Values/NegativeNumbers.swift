import Foundation

/// Allows negative numbers such as `-5` as arguments, although the argument parser treats everything with a leading
/// dash as an option.
enum NegativeNumbers {
    private static let mark = "number:"

    /// Returns the arguments with marked negative numbers. No option looks like a number.
    static func marked(_ arguments: [String]) -> [String] {
        arguments.map { isNegativeNumber($0) ? mark + $0 : $0 }
    }

    /// Returns the argument as the user typed it.
    static func unmarked(_ argument: String) -> String {
        guard argument.hasPrefix(mark) else { return argument }
        let rest = String(argument.dropFirst(mark.count))
        return isNegativeNumber(rest) ? rest : argument
    }

    /// Returns a message of the parser with the arguments as the user typed them.
    static func unmarked(message: String) -> String {
        message.replacingOccurrences(of: mark + "-", with: "-")
    }

    private static func isNegativeNumber(_ argument: String) -> Bool {
        argument.hasPrefix("-") && BoundValue.number(argument) != nil
    }
}
