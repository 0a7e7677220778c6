import VigilStorage

extension Database {
    /// Returns an object computed from the schema of a table, and cached until the schema changes.
    ///
    /// Neither the computation nor the look-up is recorded as a read: a caller also reads the table, and
    /// every change of its schema modifies its region.
    package func derivedFromSchema<Value: AnyObject>(
        ofTable name: String, _ compute: () throws -> Value
    ) throws -> Value {
        try checkSchema()
        if let latest = schema.cache.latestDerivedByName, latest.name.isIdentical(to: name),
            let known = latest.object as? Value, try isUpToDate(known)
        {
            return known
        }
        if let known = schema.cache.derivedByName[ExactString(name)] as? Value, try isUpToDate(known) {
            schema.cache.latestDerivedByName = (name, known)
            return known
        }
        let (value, mayCache) = try derive(compute)
        guard mayCache else { return value }
        schema.cache.derivedByName[ExactString(name)] = value
        schema.cache.latestDerivedByName = (name, value)
        return value
    }

    /// Returns an object computed from the schema for a record type, and cached until the schema changes.
    ///
    /// Neither the computation nor the look-up is recorded as a read.
    ///
    /// - Parameter isCurrent: Whether a cached object can be used. If not, it is computed again.
    package func derivedFromSchema<Value: AnyObject>(
        for type: ObjectIdentifier, as: Value.Type, where isCurrent: (Value) -> Bool = { _ in true },
        _ compute: () throws -> Value
    ) throws -> Value {
        checkConfinement()
        try checkSchema()
        if let known = schema.cache.derivedByType.find(type, Value.self), isCurrent(known),
            try isUpToDate(known)
        {
            return known
        }
        let (value, mayCache) = try derive(compute)
        if mayCache { schema.cache.derivedByType.insert(value, for: type) }
        return value
    }

    /// Returns whether the attached databases that a cached object depends on have not changed.
    private func isUpToDate(_ object: AnyObject) throws -> Bool {
        guard !schema.cache.attachedSchemas.isEmpty,
            let attached = schema.cache.attachedSchemas[ObjectIdentifier(object)]
        else { return true }
        return try !haveChanged(attached)
    }

    private func derive<Value: AnyObject>(_ compute: () throws -> Value) throws -> (
        value: Value, mayCache: Bool
    ) {
        let state = knownSchemaState
        let (value, attached) = try notingAttachedSchemas { try withoutRecording(compute) }
        // Outside of a transaction, the schema can change between two of its reads.
        guard state == knownSchemaState else { return (value, false) }
        schema.cache.attachedSchemas[ObjectIdentifier(value)] = attached.isEmpty ? nil : attached
        return (value, true)
    }

    /// Whether the reads of statements are being recorded, for an observation.
    package var isRecording: Bool { !recordings.isEmpty }
}
