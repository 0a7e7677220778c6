/// A started observation, independent of the type of its values. Not for apps to implement.
public protocol _StartedObservation: AnyObject, Sendable {
    /// Delivers the values that were held for delivery before `start` returns.
    func _deliverImmediately()
}
