/// A connection that tells its limits.
public protocol ConnectionLimits: StorageConnection {
    /// The greatest number of values that a statement can be given.
    var maximumParameterCount: Int { get }
}
