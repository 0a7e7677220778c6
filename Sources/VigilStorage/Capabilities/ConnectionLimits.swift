/// A connection that knows its limits.
public protocol ConnectionLimits: StorageConnection {
    /// The maximum number of parameters that a statement can have.
    ///
    /// Without this capability, callers do not limit the number.
    var maximumParameterCount: Int { get }
}
