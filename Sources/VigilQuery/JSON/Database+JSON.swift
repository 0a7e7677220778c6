public import VigilEngine
import VigilStorage

// Functions for JSON. They require SQLite 3.38, or an earlier library built with them. Without them, requests
// throw an error with an explanation.
//
// Related SQLite documentation: <https://www.sqlite.org/json1.html>
extension Database {
    /// Returns a value as minified JSON text, with the function `JSON`. It fails if the value is not JSON.
    public static func json(_ value: some SQLExpressible) -> SQLExpression {
        .json("JSON", [value.sqlExpression])
    }

    /// Returns a JSON array of values, with `JSON_ARRAY`.
    ///
    /// ```swift
    /// // JSON_ARRAY("name", "score")
    /// Database.jsonArray([Column("name"), Column("score")])
    /// ```
    public static func jsonArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
        .json("JSON_ARRAY", values.map(\.sqlExpression.asJSONElement))
    }

    /// Returns a JSON array of values of different types, with `JSON_ARRAY`.
    ///
    /// ```swift
    /// // JSON_ARRAY("name", 1, JSON("address"))
    /// Database.jsonArray([Column("name"), 1, JSONColumn("address")] as [any SQLExpressible])
    /// ```
    public static func jsonArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        .json("JSON_ARRAY", values.map(\.sqlExpression.asJSONElement))
    }

    /// Returns the part of a JSON value at a path, with `JSON_EXTRACT`: a value of SQL, or JSON if the part
    /// is an object or array.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - path: A path such as `$.name`.
    public static func jsonExtract(_ value: some SQLExpressible, atPath path: some SQLExpressible)
        -> SQLExpression
    {
        .json("JSON_EXTRACT", [value.sqlExpression, path.sqlExpression], isJSON: false)
    }

    /// Returns a JSON array of the parts of a JSON value at several paths, with `JSON_EXTRACT`.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - paths: Paths such as `$.name`.
    public static func jsonExtract(
        _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        .json(
            "JSON_EXTRACT", [value.sqlExpression] + paths.map(\.sqlExpression), isJSON: paths.count > 1)
    }

    /// Returns a JSON value with parts inserted at paths, with `JSON_INSERT`. Existing parts are kept.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - assignments: Paths such as `$.name`, and the values to insert.
    public static func jsonInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .json("JSON_INSERT", [value.sqlExpression] + jsonElements(assignments))
    }

    /// Returns a JSON value with parts replaced at paths, with `JSON_REPLACE`. Missing parts are not
    /// inserted.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - assignments: Paths such as `$.name`, and the new values.
    public static func jsonReplace(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .json("JSON_REPLACE", [value.sqlExpression] + jsonElements(assignments))
    }

    /// Returns a JSON value with parts inserted or replaced at paths, with `JSON_SET`.
    ///
    /// ```swift
    /// // UPDATE player SET address = JSON_SET("address", '$.city', 'Paris')
    /// try Player.updateAll(
    ///     db, JSONColumn("address").set(to: Database.jsonSet(JSONColumn("address"), ["$.city": "Paris"])))
    /// ```
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - assignments: Paths such as `$.name`, and the new values.
    public static func jsonSet(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .json("JSON_SET", [value.sqlExpression] + jsonElements(assignments))
    }

    /// Returns a JSON object, with `JSON_OBJECT`.
    ///
    /// ```swift
    /// // JSON_OBJECT('name', "name", 'score', "score")
    /// Database.jsonObject(["name": Column("name"), "score": Column("score")])
    /// ```
    ///
    /// - Parameter elements: The keys and values. The keys of a dictionary are sorted.
    public static func jsonObject(_ elements: some Collection<(key: String, value: any SQLExpressible)>)
        -> SQLExpression
    {
        .json("JSON_OBJECT", jsonElements(elements))
    }

    /// Returns a JSON value modified by a merge patch (RFC 7396), with `JSON_PATCH`.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - patch: A JSON object: its null values remove keys, and others replace or add them.
    public static func jsonPatch(_ value: some SQLExpressible, with patch: some SQLExpressible)
        -> SQLExpression
    {
        .json("JSON_PATCH", [value.sqlExpression, patch.sqlExpression])
    }

    /// Returns a JSON value without the part at a path, with `JSON_REMOVE`.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - path: A path such as `$.name`.
    public static func jsonRemove(_ value: some SQLExpressible, atPath path: some SQLExpressible)
        -> SQLExpression
    {
        .json("JSON_REMOVE", [value.sqlExpression, path.sqlExpression])
    }

    /// Returns a JSON value without the parts at several paths, with `JSON_REMOVE`.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - paths: Paths such as `$.name`. They are removed in order.
    public static func jsonRemove(
        _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        .json("JSON_REMOVE", [value.sqlExpression] + paths.map(\.sqlExpression))
    }

    /// Returns a JSON array of the values of all rows, with the aggregate `JSON_GROUP_ARRAY`.
    ///
    /// ```swift
    /// // SELECT JSON_GROUP_ARRAY("name") FROM player
    /// Player.select(Database.jsonGroupArray(Column("name")))
    /// ```
    ///
    /// - Parameters:
    ///   - value: The aggregated expression.
    ///   - ordering: The order of the elements. It requires SQLite 3.44.
    ///   - filter: The rows to consider. It requires SQLite 3.30.
    public static func jsonGroupArray(
        _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        SQLExpression(
            .function(
                FunctionCall(
                    name: "JSON_GROUP_ARRAY", arguments: [value.sqlExpression.asJSONElement],
                    isAggregate: true, ordering: ordering?.sqlOrdering, filter: filter?.sqlExpression,
                    isJSON: true, feature: .json)))
    }

    /// Returns a JSON object with a key and value for each row, with the aggregate `JSON_GROUP_OBJECT`.
    ///
    /// - Parameters:
    ///   - key: The keys, as text.
    ///   - value: The values.
    ///   - filter: The rows to consider. It requires SQLite 3.30.
    public static func jsonGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        SQLExpression(
            .function(
                FunctionCall(
                    name: "JSON_GROUP_OBJECT",
                    arguments: [key.sqlExpression, value.sqlExpression.asJSONElement],
                    isAggregate: true, filter: filter?.sqlExpression, isJSON: true, feature: .json)))
    }

    /// Returns the number of elements of a JSON array, with `JSON_ARRAY_LENGTH`; 0 for other JSON values.
    public static func jsonArrayLength(_ value: some SQLExpressible) -> SQLExpression {
        .json("JSON_ARRAY_LENGTH", [value.sqlExpression], isJSON: false)
    }

    /// Returns the number of elements of the array at a path of a JSON value, with `JSON_ARRAY_LENGTH`; NULL
    /// without such a path.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - path: A path such as `$.scores`.
    public static func jsonArrayLength(_ value: some SQLExpressible, atPath path: some SQLExpressible)
        -> SQLExpression
    {
        .json("JSON_ARRAY_LENGTH", [value.sqlExpression, path.sqlExpression], isJSON: false)
    }

    /// Returns the position of the first error of a malformed JSON value, with `JSON_ERROR_POSITION`; 0
    /// without errors. It requires SQLite 3.42.
    public static func jsonErrorPosition(_ value: some SQLExpressible) -> SQLExpression {
        .json(
            "JSON_ERROR_POSITION", [value.sqlExpression], isJSON: false, feature: .jsonErrorPosition)
    }

    /// Returns the type of a JSON value, such as `object` or `integer`, with `JSON_TYPE`.
    public static func jsonType(_ value: some SQLExpressible) -> SQLExpression {
        .json("JSON_TYPE", [value.sqlExpression], isJSON: false)
    }

    /// Returns the type of the part of a JSON value at a path, with `JSON_TYPE`; NULL if the path does not
    /// exist.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - path: A path such as `$.name`.
    public static func jsonType(_ value: some SQLExpressible, atPath path: some SQLExpressible)
        -> SQLExpression
    {
        .json("JSON_TYPE", [value.sqlExpression, path.sqlExpression], isJSON: false)
    }

    /// Returns whether a value is well-formed JSON, with `JSON_VALID`.
    ///
    /// - Parameters:
    ///   - value: Any value.
    ///   - options: The accepted forms of JSON. They require SQLite 3.45; JSON text if `nil`.
    public static func jsonIsValid(_ value: some SQLExpressible, options: JSONValidationOptions? = nil)
        -> SQLExpression
    {
        guard let options else { return .json("JSON_VALID", [value.sqlExpression], isJSON: false) }
        return .json(
            "JSON_VALID", [value.sqlExpression, options.rawValue.sqlExpression], isJSON: false,
            feature: .jsonValidationOptions)
    }

    /// Returns a value of SQL as JSON, with `JSON_QUOTE`: text becomes a JSON string.
    public static func jsonQuote(_ value: some SQLExpressible) -> SQLExpression {
        .json("JSON_QUOTE", [value.sqlExpression.asJSONElement])
    }

    /// Returns alternating keys and values, as arguments. The keys of a dictionary are sorted, so equal
    /// requests have equal SQL.
    static func jsonElements(_ elements: some Collection<(key: String, value: any SQLExpressible)>)
        -> [SQLExpression]
    {
        let isDictionary = elements is [String: any SQLExpressible]
        let elements = isDictionary ? elements.sorted { $0.key < $1.key } : Array(elements)
        return elements.flatMap { [$0.key.sqlExpression, $0.value.sqlExpression.asJSONElement] }
    }
}

extension Database {
    /// The forms of JSON accepted by ``Database/jsonIsValid(_:options:)``.
    ///
    /// ```swift
    /// let invalid = Player.filter(!Database.jsonIsValid(Column("info"), options: [.json, .jsonb]))
    /// ```
    public struct JSONValidationOptions: OptionSet, Sendable {
        /// The raw value: the second argument of `JSON_VALID`.
        public let rawValue: Int

        /// Creates options.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// JSON text as in RFC 8259.
        public static let json = JSONValidationOptions(rawValue: 1)
        /// JSON5 text.
        public static let json5 = JSONValidationOptions(rawValue: 2)
        /// Data beginning like the binary form of JSON. Not all of it is checked.
        public static let probablyJSONB = JSONValidationOptions(rawValue: 4)
        /// The binary form of JSON.
        public static let jsonb = JSONValidationOptions(rawValue: 8)
    }
}
