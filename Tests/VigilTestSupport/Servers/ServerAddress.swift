import Foundation

/// The parts of a URL that libpq reads, such as `postgresql:///postgres?host=/tmp/socket&user=vigil`.
package struct ServerAddress {
    private var components: URLComponents

    package init(_ url: String) throws {
        guard let components = URLComponents(string: url) else {
            throw FixtureError("not the URL of a server: \(url)")
        }
        self.components = components
    }

    /// The URL.
    package var url: String { components.string ?? "" }
    package var host: String? { self["host"] ?? components.host }
    package var port: Int { self["port"].flatMap { Int($0) } ?? components.port ?? 5432 }
    package var user: String? { self["user"] ?? components.user }

    /// The path of the Unix socket; `nil` if the server listens elsewhere.
    package var socketPath: String? {
        guard let host, host.hasPrefix("/") else { return nil }
        return "\(host)/.s.PGSQL.\(port)"
    }

    /// The value of a parameter.
    package subscript(name: String) -> String? {
        get { components.queryItems?.first { $0.name == name }?.value }
        set {
            var items = (components.percentEncodedQueryItems ?? []).filter { $0.name != name }
            if let newValue {
                // libpq requires that `=` is encoded, which separates a name from its value.
                let value = newValue.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
                items.append(URLQueryItem(name: name, value: value))
            }
            components.percentEncodedQueryItems = items
        }
    }

    /// Returns the address with another Unix socket.
    package func onSocket(in directory: String, port: Int) -> ServerAddress {
        var address = self
        (address.components.host, address.components.port) = ("", nil)
        address["host"] = directory
        address["port"] = "\(port)"
        return address
    }
}

/// The reason why a fixture cannot be used.
package struct FixtureError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
