import Foundation
import VigilEngine
import VigilStorage

/// A container that decodes a row as a single value: a record, or the value of one of its columns.
struct RowValueContainer: SingleValueDecodingContainer {
    let decoder: RecordDecoder
    /// The index of the column to read values other than records from, or `nil` if the row does not have it.
    let column: Int?
    /// Whether a coding key names the column. If not, it is the first column.
    let isNamed: Bool

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool {
        if isNamed, let column { return decoder.row.hasNull(atIndex: column) }
        return !decoder.row.containsNonNullValue
    }

    func decode(_ type: Bool.Type) throws -> Bool { try value(type) }
    func decode(_ type: Int.Type) throws -> Int { try value(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try value(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try value(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try value(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try value(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try value(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try value(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try value(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try value(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try value(type) }
    func decode(_ type: Float.Type) throws -> Float { try value(type) }
    func decode(_ type: Double.Type) throws -> Double { try value(type) }
    func decode(_ type: String.Type) throws -> String { try value(type) }

    private func value<T: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: T.Type
    ) throws -> T {
        guard let column else { throw decoder.row.missing(codingPath.last?.stringValue ?? "") }
        return try decoder.row.decode(type, atIndex: column)
    }

    /// Decodes records from the row, and other types from the named column.
    ///
    /// Without a named column, dates and data are read from the first column by their strategies. All other
    /// types are decoded from the row. If that fails, they are converted from the first column: `URL`, for
    /// example, requests coding keys.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard let column, !(type is any FetchableRecord.Type) else { return try decodeRow(type) }
        if isNamed {
            return try decoder.databaseValue(type, column)
                ?? decoder.decodedValue(type, at: column, codingPath: codingPath)
        }
        if type == Date.self || type == Date?.self || type == Data.self || type == Data?.self,
            let value = try decoder.databaseValue(type, column)
        {
            return value
        }
        do {
            return try decodeRow(type)
        } catch {
            guard let value = try? decoder.databaseValue(type, column) else { throw error }
            return value
        }
    }

    private func decodeRow<T: Decodable>(_ type: T.Type) throws -> T {
        try RecordDecoder.value(type, decoder.row, codingPath: codingPath, plan: decoder.plan)
    }
}
