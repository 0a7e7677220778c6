/// Objects computed from the schema, keyed by the type of the request and by their own type.
struct DerivedSchemaObjects {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let value: ObjectIdentifier
    }

    private var objects: [Key: AnyObject] = [:]
    /// The last found object. The same object is often requested several times in a row, and is then found
    /// without hashing.
    private var latest: (key: Key, object: AnyObject)?

    mutating func find<Value: AnyObject>(_ type: ObjectIdentifier, _: Value.Type) -> Value? {
        let key = Key(type: type, value: ObjectIdentifier(Value.self))
        // The key determines the type of the object.
        if let latest, latest.key == key { return unsafeDowncast(latest.object, to: Value.self) }
        guard let object = objects[key] else { return nil }
        latest = (key, object)
        return unsafeDowncast(object, to: Value.self)
    }

    mutating func insert<Value: AnyObject>(_ object: Value, for type: ObjectIdentifier) {
        let key = Key(type: type, value: ObjectIdentifier(Value.self))
        objects[key] = object
        latest = (key, object)
    }
}
