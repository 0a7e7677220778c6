public import VigilEngine
import VigilStorage

// Functions for the binary form of JSON.
extension Database {
    /// Returns a value as JSON in its binary form, with the function `JSONB`. It fails if the value is not
    /// JSON. It requires SQLite 3.45.
    public static func jsonb(_ value: some SQLExpressible) -> SQLExpression {
        .json("JSONB", [value.sqlExpression], feature: .jsonb)
    }

    /// Returns a JSON array of values, with `JSONB_ARRAY`. It requires SQLite 3.45.
    ///
    /// ```swift
    /// // JSONB_ARRAY("name", "score")
    /// Database.jsonbArray([Column("name"), Column("score")])
    /// ```
    public static func jsonbArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
        .json("JSONB_ARRAY", values.map(\.sqlExpression.asJSONElement), feature: .jsonb)
    }

    /// Returns a JSON array of values of different types, with `JSONB_ARRAY`. It requires SQLite 3.45.
    ///
    /// ```swift
    /// // JSONB_ARRAY("name", 1, JSON("address"))
    /// Database.jsonbArray([Column("name"), 1, JSONColumn("address")] as [any SQLExpressible])
    /// ```
    public static func jsonbArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        .json("JSONB_ARRAY", values.map(\.sqlExpression.asJSONElement), feature: .jsonb)
    }

    /// Returns the part of a JSON value at a path, with `JSONB_EXTRACT`: a value of SQL, or JSON if the part
    /// is an object or array.
    ///
    /// It requires SQLite 3.45.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - path: A path such as `$.name`.
    public static func jsonbExtract(_ value: some SQLExpressible, atPath path: some SQLExpressible)
        -> SQLExpression
    {
        .json("JSONB_EXTRACT", [value.sqlExpression, path.sqlExpression], isJSON: false, feature: .jsonb)
    }

    /// Returns a JSON array of the parts of a JSON value at several paths, with `JSONB_EXTRACT`.
    ///
    /// It requires SQLite 3.45.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - paths: Paths such as `$.name`.
    public static func jsonbExtract(
        _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        .json(
            "JSONB_EXTRACT", [value.sqlExpression] + paths.map(\.sqlExpression), isJSON: paths.count > 1,
            feature: .jsonb)
    }

    /// Returns a JSON value with parts inserted at paths, with `JSONB_INSERT`. Existing parts are kept.
    ///
    /// It requires SQLite 3.45.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - assignments: Paths such as `$.name`, and the values to insert.
    public static func jsonbInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .json("JSONB_INSERT", [value.sqlExpression] + jsonElements(assignments), feature: .jsonb)
    }

    /// Returns a JSON value with parts replaced at paths, with `JSONB_REPLACE`. Missing parts are not
    /// inserted.
    ///
    /// It requires SQLite 3.45.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - assignments: Paths such as `$.name`, and the new values.
    public static func jsonbReplace(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .json("JSONB_REPLACE", [value.sqlExpression] + jsonElements(assignments), feature: .jsonb)
    }

    /// Returns a JSON value with parts inserted or replaced at paths, with `JSONB_SET`.
    ///
    /// It requires SQLite 3.45.
    ///
    /// ```swift
    /// // UPDATE player SET address = JSONB_SET("address", '$.city', 'Paris')
    /// try Player.updateAll(
    ///     db, JSONColumn("address").set(to: Database.jsonbSet(JSONColumn("address"), ["$.city": "Paris"])))
    /// ```
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - assignments: Paths such as `$.name`, and the new values.
    public static func jsonbSet(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .json("JSONB_SET", [value.sqlExpression] + jsonElements(assignments), feature: .jsonb)
    }

    /// Returns a JSON object, with `JSONB_OBJECT`. It requires SQLite 3.45.
    ///
    /// ```swift
    /// // JSONB_OBJECT('name', "name", 'score', "score")
    /// Database.jsonbObject(["name": Column("name"), "score": Column("score")])
    /// ```
    ///
    /// - Parameter elements: The keys and values. The keys of a dictionary are sorted.
    public static func jsonbObject(_ elements: some Collection<(key: String, value: any SQLExpressible)>)
        -> SQLExpression
    {
        .json("JSONB_OBJECT", jsonElements(elements), feature: .jsonb)
    }

    /// Returns a JSON value modified by a merge patch (RFC 7396), with `JSONB_PATCH`.
    ///
    /// It requires SQLite 3.45.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - patch: A JSON object: its null values remove keys, and others replace or add them.
    public static func jsonbPatch(_ value: some SQLExpressible, with patch: some SQLExpressible)
        -> SQLExpression
    {
        .json("JSONB_PATCH", [value.sqlExpression, patch.sqlExpression], feature: .jsonb)
    }

    /// Returns a JSON value without the part at a path, with `JSONB_REMOVE`.
    ///
    /// It requires SQLite 3.45.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - path: A path such as `$.name`.
    public static func jsonbRemove(_ value: some SQLExpressible, atPath path: some SQLExpressible)
        -> SQLExpression
    {
        .json("JSONB_REMOVE", [value.sqlExpression, path.sqlExpression], feature: .jsonb)
    }

    /// Returns a JSON value without the parts at several paths, with `JSONB_REMOVE`.
    ///
    /// It requires SQLite 3.45.
    ///
    /// - Parameters:
    ///   - value: A JSON value.
    ///   - paths: Paths such as `$.name`. They are removed in order.
    public static func jsonbRemove(
        _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        .json("JSONB_REMOVE", [value.sqlExpression] + paths.map(\.sqlExpression), feature: .jsonb)
    }

    /// Returns a JSON array of the values of all rows, with the aggregate `JSONB_GROUP_ARRAY`.
    ///
    /// It requires SQLite 3.45.
    ///
    /// ```swift
    /// // SELECT JSONB_GROUP_ARRAY("name") FROM player
    /// Player.select(Database.jsonbGroupArray(Column("name")))
    /// ```
    ///
    /// - Parameters:
    ///   - value: The aggregated expression.
    ///   - ordering: The order of the elements. It requires SQLite 3.44.
    ///   - filter: The rows to consider. It requires SQLite 3.30.
    public static func jsonbGroupArray(
        _ value: some SQLExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        SQLExpression(
            .function(
                FunctionCall(
                    name: "JSONB_GROUP_ARRAY", arguments: [value.sqlExpression.asJSONElement],
                    isAggregate: true, ordering: ordering?.sqlOrdering, filter: filter?.sqlExpression,
                    isJSON: true, feature: .jsonb)))
    }

    /// Returns a JSON object with a key and value for each row, with the aggregate `JSONB_GROUP_OBJECT`.
    ///
    /// It requires SQLite 3.45.
    ///
    /// - Parameters:
    ///   - key: The keys, as text.
    ///   - value: The values.
    ///   - filter: The rows to consider. It requires SQLite 3.30.
    public static func jsonbGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        SQLExpression(
            .function(
                FunctionCall(
                    name: "JSONB_GROUP_OBJECT",
                    arguments: [key.sqlExpression, value.sqlExpression.asJSONElement],
                    isAggregate: true, filter: filter?.sqlExpression, isJSON: true, feature: .jsonb)))
    }
}
