public import VigilEngine
import VigilStorage

/// A type that is written as SQL, and has a JSON value.
///
/// JSON functions take text for a string, unless it results from another JSON function. They read the value
/// of this type as JSON:
///
/// ```swift
/// Database.jsonArray([Column("address")])      // JSON_ARRAY("address"): an array of a string
/// Database.jsonArray([JSONColumn("address")])  // JSON_ARRAY(JSON("address")): an array of an object
/// ```
///
/// Besides ``JSONColumn``, an enumeration of column names can conform:
///
/// ```swift
/// enum JSONColumns: String, ColumnExpression, SQLJSONExpressible {
///     case address, settings
/// }
/// ```
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

extension ColumnExpression where Self: SQLJSONExpressible {
    /// The column of the table of the enclosing request, as JSON.
    public var sqlExpression: SQLExpression {
        SQLExpression(ExpressionNode.json(SQLExpression(ExpressionNode.column(name))))
    }
}

/// A type-erased JSON expression.
///
/// ```swift
/// let address: AnySQLJSONExpressible = Column("address").asJSON
/// let city = address["city"]  // "address" ->> 'city'
/// ```
public struct AnySQLJSONExpressible: SQLJSONExpressible, Sendable {
    /// The expression.
    public let sqlExpression: SQLExpression

    /// Creates a wrapper around an expression.
    public init(_ base: some SQLJSONExpressible) {
        self.init(json: base.sqlExpression)
    }

    init(json expression: SQLExpression) {
        sqlExpression = expression.markedAsJSON
    }
}

extension SQLSpecificExpressible {
    /// The expression, marked for JSON functions to read as JSON instead of text.
    ///
    /// ```swift
    /// // JSON_OBJECT('name', "name", 'address', JSON("address"))
    /// Database.jsonObject([
    ///     (key: "name", value: Column("name")),
    ///     (key: "address", value: Column("address").asJSON),
    /// ])
    /// ```
    public var asJSON: AnySQLJSONExpressible { AnySQLJSONExpressible(json: sqlExpression) }
}

// Extracting parts of JSON
extension SQLJSONExpressible {
    /// Returns the part at a path as a value of SQL, with the operator `->>`.
    ///
    /// ```swift
    /// // SELECT info ->> 'name', info ->> 'scores[0]' FROM player
    /// Player.select(JSONColumn("info")["name"], JSONColumn("info")["$.scores[0]"])
    /// ```
    ///
    /// It requires SQLite 3.38. See also ``jsonExtract(atPath:)``.
    ///
    /// - Parameter path: A path such as `$.name`, the key of an object, or the index of an array.
    public subscript(_ path: some SQLExpressible) -> SQLExpression {
        SQLExpression(.extraction("->>", sqlExpression, path: path.sqlExpression))
    }

    /// Returns the part at a path, with `JSON_EXTRACT`: a value of SQL, or JSON if the part is an object or
    /// array.
    ///
    /// - Parameter path: A path such as `$.name`.
    public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
        Database.jsonExtract(self, atPath: path)
    }

    /// Returns a JSON array of the parts at several paths, with `JSON_EXTRACT`.
    ///
    /// - Parameter paths: Paths such as `$.name`.
    public func jsonExtract(atPaths paths: some Collection<some SQLExpressible>) -> SQLExpression {
        Database.jsonExtract(self, atPaths: paths)
    }

    /// Returns the part at a path as JSON, with the operator `->`: strings are in quotes.
    ///
    /// It requires SQLite 3.38.
    ///
    /// - Parameter path: A path such as `$.name`, the key of an object, or the index of an array.
    public func jsonRepresentation(atPath path: some SQLExpressible) -> SQLExpression {
        SQLExpression(.extraction("->", sqlExpression, path: path.sqlExpression))
    }
}

extension SQLExpression {
    /// The expression, marked for JSON functions to read as JSON.
    fileprivate var markedAsJSON: SQLExpression {
        if case .json? = node { self } else { SQLExpression(.json(self)) }
    }

    /// The expression as an element for JSON functions to store: marked expressions are converted to JSON.
    var asJSONElement: SQLExpression {
        guard case .json(let expression)? = node else { return self }
        return expression.isJSON ? expression : .json("JSON", [expression])
    }

    /// Whether the result is known to be JSON, and not taken for text by other JSON functions.
    private var isJSON: Bool {
        if let value { return value.isNull }
        return switch node {
        case .json(let expression): expression.isJSON
        case .extraction(let sign, _, _): sign == "->"
        case .collated(let expression, _): expression.isJSON
        case .function(let call): call.isJSON
        default: false
        }
    }

    /// Returns a call of a function for JSON.
    ///
    /// - Parameter isJSON: Whether the result is JSON.
    static func json(
        _ name: String, _ arguments: [SQLExpression], isJSON: Bool = true, feature: LibraryFeature = .json
    ) -> SQLExpression {
        SQLExpression(
            .function(FunctionCall(name: name, arguments: arguments, isJSON: isJSON, feature: feature)))
    }
}
