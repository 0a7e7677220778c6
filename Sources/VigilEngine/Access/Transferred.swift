/// A value of any type that passes from one thread to another.
///
/// Publishers and observables accept results, subscribers and schedulers whose types are not `Sendable`.
// Guard of `value`: the creator does not use the value after the transfer, or the value is thread-safe by contract, as
// the schedulers and subscribers of Combine and RxSwift are.
package struct Transferred<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
