/// The range of the rows that a window shows.
package struct WindowRange: Sendable, Hashable {
    /// Why the rows of a window are not kept.
    package enum Failure: Error, Hashable {
        /// The limit or the offset is not an integer.
        case notAnInteger
        /// Too many rows precede the window.
        case farFromStart
    }

    /// The greatest number of rows before a window that are kept beside its own.
    package static var greatestOffset: Int64 { 256 }

    /// The number of rows before the window.
    package let offset: Int
    /// The number of rows; `nil` without a limit.
    package let limit: Int?

    package init(offset: Int = 0, limit: Int?) {
        self.offset = offset
        self.limit = limit
    }

    /// Creates the range of a window with the values of parameters.
    ///
    /// - Parameter argument: returns the value of a parameter, given its index. The first one is 1.
    package init(_ window: ListPlan.Window, _ argument: (Int) -> StorageValue) throws(Failure) {
        let limit = try Self.integer(window.limit, argument)
        let offset = try window.offset.map { offset throws(Failure) in try Self.integer(offset, argument) }
        guard offset ?? 0 <= Self.greatestOffset else { throw .farFromStart }
        // A library counts with 64 bits. No list has as many rows as the greatest limits.
        let isLimited = (0...Int64(Int32.max)).contains(limit)
        self.init(offset: Int(max(0, offset ?? 0)), limit: isLimited ? Int(limit) : nil)
    }

    /// Returns the number of rows after LIMIT or OFFSET, with the values of parameters.
    package static func integer(
        _ operand: RowConditionTemplate.Operand, _ argument: (Int) -> StorageValue
    ) throws(Failure) -> Int64 {
        let value: StorageValue =
            switch operand {
            case .value(let value): value
            case .near(let value): .real(value)
            case .parameter(let index): argument(index)
            case .elements: throw .notAnInteger
            }
        guard case .integer(let integer) = value else { throw .notAnInteger }
        return integer
    }
}

extension WindowRange.Failure {
    /// The reason for fetches of all rows.
    package var text: String {
        switch self {
        case .notAnInteger: "its LIMIT or OFFSET is not an integer"
        case .farFromStart: "its OFFSET is greater than \(WindowRange.greatestOffset)"
        }
    }
}
