import Hummingbird

/// The fields of the form as they were entered.
struct RunFields: Decodable, Sendable {
    /// The largest form that is read, in bytes.
    static let longestBody = 4096

    var runner: String
    var kilometers: String

    private enum CodingKeys: CodingKey {
        case runner, kilometers
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        runner = try container.decodeIfPresent(String.self, forKey: .runner) ?? ""
        kilometers = try container.decodeIfPresent(String.self, forKey: .kilometers) ?? ""
    }

    init(runner: String = "", kilometers: String = "") {
        self.runner = runner
        self.kilometers = kilometers
    }

    /// Decodes a body of type `application/x-www-form-urlencoded`, or returns `nil`.
    init?(body: ByteBuffer) {
        let fields = try? URLEncodedFormDecoder().decode(RunFields.self, from: String(buffer: body))
        guard let fields else { return nil }
        self = fields
    }
}
