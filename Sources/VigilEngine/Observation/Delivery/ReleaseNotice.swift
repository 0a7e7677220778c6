/// Calls a closure when it is released: an observation that ends without an error, because the database is
/// closed, only releases its callbacks.
final class ReleaseNotice: Sendable {
    private let didRelease: @Sendable () -> Void

    init(_ didRelease: @escaping @Sendable () -> Void) {
        self.didRelease = didRelease
    }

    deinit { didRelease() }
}
