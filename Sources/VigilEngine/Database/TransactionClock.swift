public import Foundation

/// A clock that provides the dates of transactions. See ``Database/transactionDate``.
///
/// ```swift
/// struct FixedClock: TransactionClock {
///     let date: Date
///     func now(_ db: Database) throws -> Date { date }
/// }
/// configuration.transactionClock = FixedClock(date: .distantPast)
/// ```
public protocol TransactionClock: Sendable {
    /// Returns the current date. An error is thrown by ``Database/transactionDate``.
    ///
    /// It is called once in each transaction, after its beginning; outside of transactions, each time that
    /// ``Database/transactionDate`` is read. It runs inside the access.
    func now(_ db: Database) throws -> Date
}

/// The default transaction clock, which returns the current date of the system.
public struct DefaultTransactionClock: TransactionClock {
    /// Creates a system clock.
    public init() {}

    /// Returns the current date of the system.
    public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock that calls a closure, for example in tests.
///
/// ```swift
/// configuration.transactionClock = CustomTransactionClock { _ in Date(timeIntervalSince1970: 0) }
/// ```
public struct CustomTransactionClock: TransactionClock {
    private let date: @Sendable (Database) throws -> Date

    /// Creates a clock that returns the result of `now`.
    public init(_ now: @escaping @Sendable (Database) throws -> Date) {
        date = now
    }

    /// Returns the date of the closure, or throws its error.
    public func now(_ db: Database) throws -> Date { try date(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// The default transaction clock, which returns the current date of the system.
    public static var `default`: Self { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// Returns a clock that calls a closure.
    ///
    /// ```swift
    /// configuration.transactionClock = .custom { _ in fixedDate }
    /// ```
    public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> Self {
        CustomTransactionClock(now)
    }
}
