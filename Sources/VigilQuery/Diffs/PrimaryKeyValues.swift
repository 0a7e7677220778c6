import VigilEngine
import VigilStorage

/// A column of the primary key, for comparing rows.
struct PrimaryKeyColumn: Equatable, Sendable {
    let name: String
    /// The conversion of stored values by the column; `nil` if it is unknown.
    let affinity: ColumnAffinity?

    static func == (a: PrimaryKeyColumn, b: PrimaryKeyColumn) -> Bool { a.name.isSameName(as: b.name) }

    /// Returns the stored form of a value in the column, or the value itself if the form is uncertain.
    func stored(_ value: DatabaseValue) -> DatabaseValue {
        affinity?.stored(value.storageValue).map { DatabaseValue($0) } ?? value
    }
}

/// The values of a row's primary key, in the order of SQLite: column by column, NULL before numbers, numbers
/// before text, text before blobs. Numbers are compared exactly, text by its UTF-8 bytes, blobs by their
/// bytes.
struct PrimaryKeyValues: Sendable {
    enum Order {
        case before, same, after
    }

    let values: [DatabaseValue]

    func order(relativeTo other: PrimaryKeyValues) -> Order {
        for (one, two) in zip(values, other.values) {
            let order = one.storageValue.order(relativeTo: two.storageValue)
            if order != .same { return order }
        }
        return .same
    }
}

extension StorageValue {
    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    func order(relativeTo other: StorageValue) -> PrimaryKeyValues.Order {
        switch (self, other) {
        case (.integer(let one), .integer(let two)): .init(one, two)
        case (.real(let one), .real(let two)): .init(one, two)
        case (.integer(let integer), .real(let real)): .init(integer, toReal: real)
        case (.real(let real), .integer(let integer)): PrimaryKeyValues.Order(integer, toReal: real).reversed
        case (.text(let one), .text(let two)): .init(bytes: one.utf8, two.utf8)
        case (.blob(let one), .blob(let two)): .init(bytes: one, two)
        default: .init(rank, other.rank)
        }
    }
}

extension PrimaryKeyValues.Order {
    fileprivate init<Value: Comparable>(_ one: Value, _ two: Value) {
        self = one < two ? .before : two < one ? .after : .same
    }

    /// Creates the order of an integer relative to a real. Converting the integer would not be exact.
    fileprivate init(_ integer: Int64, toReal real: Double) {
        let limit = 9_223_372_036_854_775_808.0
        guard real < limit else {
            self = .before
            return
        }
        guard real >= -limit else {
            self = .after
            return
        }
        let whole = Int64(real)
        self = integer == whole ? .init(Double(whole), real) : .init(integer, whole)
    }

    fileprivate init(bytes one: some Sequence<UInt8>, _ two: some Sequence<UInt8>) {
        var rest = two.makeIterator()
        for byte in one {
            guard let other = rest.next() else {
                self = .after
                return
            }
            if byte != other {
                self = byte < other ? .before : .after
                return
            }
        }
        self = rest.next() == nil ? .same : .before
    }

    fileprivate var reversed: PrimaryKeyValues.Order {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }
}
