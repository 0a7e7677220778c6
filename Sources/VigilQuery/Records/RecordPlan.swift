import Foundation
import VigilEngine
import VigilStorage

/// Lookups done once for the rows of a cursor and a record type, instead of for each row.
///
/// Record types usually request their coding keys in the same order for each row. Comparing a key with the
/// expected next one is then enough to find its column, see `ColumnLookups`, and the way to read its type,
/// see ``Step``. A key out of order is searched for.
final class RecordPlan {
    /// The lookups for a coding key of a type without an overload in the container.
    struct Step {
        let key: String
        /// The index of the key's column, or `nil` if the row does not have it.
        let column: Int?
        /// The type for ``reading``.
        var type: ObjectIdentifier?
        var reading = Reading.decodable
    }

    /// How a value of a type is read from a column.
    enum Reading {
        case cell(any (DatabaseValueConvertible & StatementColumnConvertible).Type)
        case value(any DatabaseValueConvertible.Type)
        case date(DatabaseDateDecodingStrategy)
        case data(@Sendable (DatabaseValue) -> Data?)
        /// By the type's `Decodable` implementation, from a single value or from JSON.
        case decodable
    }

    let record: any FetchableRecord.Type
    /// Whether columns are remembered in ``steps``, because the rows do not remember requests: this is so for
    /// the rows of scopes.
    private let remembersColumns: Bool
    /// The columns of the keys, or `nil` if keys are column names.
    private let columnsByKey: [String: Int]?
    @exclusivity(unchecked)  // bench: decode-records
    private var steps: [Step] = []
    @exclusivity(unchecked)  // bench: decode-records
    private var next = 0
    private var jsonDecoders: [String: JSONDecoder] = [:]
    /// The decoders of the rows of scopes.
    var scopes: [String: AnyObject] = [:]
    /// The step of the value being decoded from the whole row by the current keyed container, if any.
    @exclusivity(unchecked)  // bench: decode-records
    var rootStep: Int?
    /// The plan for values decoded from the whole row.
    private var rootPlan: RecordPlan?

    /// - Parameter columns: the strategy for matching keys with columns; `nil` for the one of the record.
    init(_ record: any FetchableRecord.Type, _ row: Row, columns: DatabaseColumnDecodingStrategy? = nil) {
        self.record = record
        remembersColumns = row.isCurrent && !row.isReused
        columnsByKey = (columns ?? record.databaseColumnDecodingStrategy).columns(of: row)
    }

    /// Begins another row.
    func restart() { next = 0 }

    /// Returns the plan for values decoded from the whole row, except records. Their coding keys are column
    /// names.
    func root(_ row: Row) -> RecordPlan {
        if let rootPlan {
            rootPlan.restart()
            return rootPlan
        }
        let plan = RecordPlan(record, row, columns: .useDefaultKeys)
        rootPlan = plan
        return plan
    }

    /// Returns the index of a key's column, or `nil` if the row does not have it.
    @inline(__always)  // bench: decode-records
    func column(_ key: String, _ row: Row) -> Int? {
        guard let columnsByKey else {
            return remembersColumns ? steps[step(key, row)].column : row.index(ofColumn: key)
        }
        return columnsByKey[key]
    }

    /// Returns the index of a key in ``steps``, after adding it if needed.
    func step(_ key: String, _ row: Row) -> Int {
        if next < steps.count, steps[next].key.isIdentical(to: key) {
            next += 1
            return next - 1
        }
        let step: Int
        if let known = steps.firstIndex(where: { $0.key.isIdentical(to: key) }) {
            step = known
        } else {
            step = steps.count
            let column: Int? = if let columnsByKey { columnsByKey[key] } else { row.index(ofColumn: key) }
            steps.append(Step(key: key, column: column))
        }
        next = step + 1
        return step
    }

    func columnKeys(_ row: Row) -> Set<String> {
        columnsByKey.map { Set($0.keys) } ?? Set(row.columnNames)
    }

    func column(step: Int) -> Int? { steps[step].column }

    func key(step: Int) -> String { steps[step].key }

    /// Returns how a value of `type` is read from the column of a step.
    func reading<T>(_ type: T.Type, step: Int, _ row: Row) -> Reading {
        let id = ObjectIdentifier(type)
        if steps[step].type == id { return steps[step].reading }
        // This calls the record type. It may decode another record with this plan.
        let reading = self.reading(type, named: columnName(step, row))
        steps[step].type = id
        steps[step].reading = reading
        return reading
    }

    /// Returns how a value of `type` is read from a column with a name for strategies.
    func reading<T>(_ type: T.Type, named name: String) -> Reading {
        if type == Date.self || type == Date?.self {
            let strategy = record.databaseDateDecodingStrategy(for: name)
            guard case .deferredToDate = strategy else { return .date(strategy) }
        }
        if type == Data.self || type == Data?.self,
            case .custom(let data) = record.databaseDataDecodingStrategy(for: name)
        {
            return .data(data)
        }
        if let type = type as? any (DatabaseValueConvertible & StatementColumnConvertible).Type {
            return .cell(type)
        }
        if let type = type as? any DatabaseValueConvertible.Type { return .value(type) }
        return .decodable
    }

    func jsonDecoder(_ column: String) -> JSONDecoder {
        if let known = jsonDecoders[column] { return known }
        let decoder = record.databaseJSONDecoder(for: column)
        jsonDecoders[column] = decoder
        return decoder
    }

    private func columnName(_ step: Int, _ row: Row) -> String {
        let key = steps[step].key
        return steps[step].column.map { columnName($0, of: key, row) } ?? key
    }

    /// Returns the name of a column for strategies: its key, as for encoding, if keys are column names.
    func columnName(_ column: Int, of key: String?, _ row: Row) -> String {
        if columnsByKey == nil, let key { return key }
        return row.columnNames[row.index(row.startIndex, offsetBy: column)]
    }
}
