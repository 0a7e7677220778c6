public import VigilEngine
import VigilStorage

/// The absolute value of a number.
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("ABS", [value.sqlExpression])
}

/// The length of text in characters, or of a blob in bytes.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("LENGTH", [value.sqlExpression])
}

/// The expression, converted to a storage class.
///
/// ```swift
/// // SELECT CAST(score AS REAL) / 3 FROM player
/// let request = Player.select(cast(Column("score"), as: .real) / 3)
/// ```
public func cast(_ expression: some SQLSpecificExpressible, as storageClass: Database.StorageClass)
    -> SQLExpression
{
    SQLExpression(.cast(expression.sqlExpression, storageClass))
}

/// The first value other than NULL; NULL if all values are NULL.
public func coalesce(_ values: some Collection<any SQLSpecificExpressible>) -> SQLExpression {
    let expressions = values.map(\.sqlExpression)
    switch expressions.count {
    case 0: return .null
    case 1: return expressions[0]
    default: return .function("COALESCE", expressions)
    }
}

/// The value if a condition is true, and another value otherwise.
///
/// Before SQLite 3.32, it is written as a `CASE` expression.
public func iif(
    _ condition: some SQLSpecificExpressible, _ value: some SQLExpressible, _ otherwise: some SQLExpressible
) -> SQLExpression {
    SQLExpression(
        .function(
            FunctionCall(
                name: "IIF",
                arguments: [condition.sqlExpression, value.sqlExpression, otherwise.sqlExpression])))
}

// MARK: - Text

// These functions are implemented in Swift, and support all of Unicode.
extension SQLSpecificExpressible {
    /// The text with its words capitalized, as by Foundation's `capitalized`.
    public var capitalized: SQLExpression { DatabaseFunction.capitalize(sqlExpression) }
    /// The text in lower case, as by Swift's `lowercased()`.
    public var lowercased: SQLExpression { DatabaseFunction.lowercase(sqlExpression) }
    /// The text in upper case, as by Swift's `uppercased()`.
    public var uppercased: SQLExpression { DatabaseFunction.uppercase(sqlExpression) }
    /// The text with its words capitalized by the rules of the current locale.
    public var localizedCapitalized: SQLExpression { DatabaseFunction.localizedCapitalize(sqlExpression) }
    /// The text in lower case by the rules of the current locale.
    public var localizedLowercased: SQLExpression { DatabaseFunction.localizedLowercase(sqlExpression) }
    /// The text in upper case by the rules of the current locale.
    public var localizedUppercased: SQLExpression { DatabaseFunction.localizedUppercase(sqlExpression) }
}

extension DatabaseFunction {
    /// Returns a call of the function as an expression.
    ///
    /// ```swift
    /// // SELECT initials(name) FROM player
    /// let request = Player.select(initials(Column("name")))
    /// ```
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        .function(name, arguments.map(\.sqlExpression), isAggregate: isAggregate)
    }
}

// MARK: - Dates

/// A modification of a date by the functions ``julianDay(_:_:)`` and ``dateTime(_:_:)``.
///
/// ```swift
/// // DATETIME("date", 'start of month', '1 months')
/// let next = dateTime(Column("date"), .startOfMonth, .month(1))
/// ```
public enum SQLDateModifier: SQLSpecificExpressible, Sendable {
    /// Adds seconds.
    case second(Double)
    /// Adds minutes.
    case minute(Int)
    /// Adds hours.
    case hour(Int)
    /// Adds days.
    case day(Int)
    /// Adds months.
    case month(Int)
    /// Adds years.
    case year(Int)
    /// Moves to the beginning of the day.
    case startOfDay
    /// Moves to the beginning of the month.
    case startOfMonth
    /// Moves to the beginning of the year.
    case startOfYear
    /// Moves to the next such day of the week, unless the date already is one. Sunday is 0.
    case weekday(Int)
    /// Interprets the number as seconds since 1970.
    case unixEpoch
    /// Converts UTC to local time.
    case localTime
    /// Converts local time to UTC.
    case utc

    /// The modifier as text.
    public var sqlExpression: SQLExpression { text.sqlExpression }

    private var text: String {
        switch self {
        case .second(let count): "\(count) seconds"
        case .minute(let count): "\(count) minutes"
        case .hour(let count): "\(count) hours"
        case .day(let count): "\(count) days"
        case .month(let count): "\(count) months"
        case .year(let count): "\(count) years"
        case .startOfDay: "start of day"
        case .startOfMonth: "start of month"
        case .startOfYear: "start of year"
        case .weekday(let day): "weekday \(day)"
        case .unixEpoch: "unixepoch"
        case .localTime: "localtime"
        case .utc: "utc"
        }
    }
}

/// The Julian day of a date, as a number with a fraction.
public func julianDay(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression
{
    .function("JULIANDAY", [value.sqlExpression] + modifiers.map(\.sqlExpression))
}

/// The date as text in the format `YYYY-MM-DD HH:MM:SS`.
public func dateTime(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
    .function("DATETIME", [value.sqlExpression] + modifiers.map(\.sqlExpression))
}
