import Foundation

/// Allows negative numbers such as `-5` and SQL with a comment at the beginning as arguments, although the
/// argument parser treats everything with a leading dash as an option.
enum LeadingDashes {
    private static let mark = "dashed:"

    /// Returns the arguments with marked negative numbers and SQL. No option looks like them.
    static func marked(_ arguments: [String]) -> [String] {
        arguments.map { needsMark($0) ? mark + $0 : $0 }
    }

    /// Returns the argument as the user typed it.
    static func unmarked(_ argument: String) -> String {
        guard argument.hasPrefix(mark) else { return argument }
        let rest = String(argument.dropFirst(mark.count))
        return needsMark(rest) ? rest : argument
    }

    /// Returns a message of the parser with the arguments as the user typed them.
    static func unmarked(message: String) -> String {
        message.replacingOccurrences(of: mark + "-", with: "-")
    }

    private static func needsMark(_ argument: String) -> Bool {
        argument.hasPrefix("-") && (BoundValue.number(argument) != nil || beginsWithComment(argument))
    }

    /// Returns whether the argument begins with an SQL comment. No option's name contains white space.
    private static func beginsWithComment(_ argument: String) -> Bool {
        argument.hasPrefix("--") && argument.prefix { $0 != "=" }.contains(where: \.isWhitespace)
    }
}
