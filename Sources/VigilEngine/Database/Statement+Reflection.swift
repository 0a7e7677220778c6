extension Statement: CustomReflectable {
    /// A mirror with the SQL and the number of parameters, without the keys of encrypted databases.
    public var customMirror: Mirror {
        Mirror(self, children: ["sql": sql, "parameterCount": parameterCount], displayStyle: .class)
    }
}
