public import Foundation

/// Tells the date of transactions: see ``Database/transactionDate``.
public protocol TransactionClock: Sendable {
    /// The date of the transaction that begins now.
    ///
    /// Called once for each transaction, when it has begun; outside of transactions, each time that a date is asked for.
    func now(_ db: Database) throws -> Date
}

/// The clock on the wall.
public struct DefaultTransactionClock: TransactionClock {
    public init() {}

    public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock of the program's own, for example for tests.
public struct CustomTransactionClock: TransactionClock {
    private let date: @Sendable (Database) throws -> Date

    public init(_ now: @escaping @Sendable (Database) throws -> Date) {
        date = now
    }

    public func now(_ db: Database) throws -> Date { try date(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// The clock on the wall.
    public static var `default`: Self { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// A clock of the program's own.
    ///
    /// ```swift
    /// configuration.transactionClock = .custom { _ in fixedDate }
    /// ```
    public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> Self {
        CustomTransactionClock(now)
    }
}
