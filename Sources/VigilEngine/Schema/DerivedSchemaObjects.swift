/// Objects that are derived from the schema, by the type that they are derived for.
struct DerivedSchemaObjects {
    private var objects: [ObjectIdentifier: AnyObject] = [:]
    /// The last object that was found. The same object is often requested several times in a row, and is then found
    /// without hashing.
    private var latest: (id: ObjectIdentifier, object: AnyObject)?

    mutating func find(_ id: ObjectIdentifier) -> AnyObject? {
        if let latest, latest.id == id { return latest.object }
        guard let object = objects[id] else { return nil }
        latest = (id, object)
        return object
    }

    mutating func insert(_ object: AnyObject, for id: ObjectIdentifier) {
        objects[id] = object
        latest = (id, object)
    }
}

extension Database {
    /// Returns the object that is cached for a type, or makes one and caches it until the schema changes.
    ///
    /// The use of a cached object counts as a read of the schema, as making it does.
    ///
    /// - Parameters:
    ///   - id: The type that the object is derived for. One type has one object.
    ///   - isCurrent: Whether a cached object can be used. If not, another one is made.
    package func derivedFromSchema<Object: AnyObject>(
        for id: ObjectIdentifier, where isCurrent: (Object) -> Bool, make: () throws -> Object
    ) throws -> Object {
        checkConfinement()
        try checkSchema()
        if let object = schema.derived.find(id) as? Object, isCurrent(object) {
            if !recordings.isEmpty { recordSchemas(schema.schemaNames ?? []) }
            return object
        }
        let object = try make()
        schema.derived.insert(object, for: id)
        return object
    }
}
