/// A connection that returns statements that create its tables, although the library does not keep their texts.
///
/// ``SchemaReading/schemaObjects(in:)`` then leaves the texts out. They are read only for dumps.
package protocol DefinitionReading: SchemaReading {
    /// Returns statements that create the tables of a schema with their columns and constraints, by table.
    func tableDefinitions(in schema: String) throws(StorageError) -> [String: String]
}
