import VigilStorage

/// The backends of this build, with names for failure messages.
struct NamedBackend {
    let name: String
    let backend: any StorageBackend

    static var all: [NamedBackend] {
        testedBackends.map { NamedBackend(name: $0.name, backend: $0.backend) }
    }
}
