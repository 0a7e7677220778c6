import VigilStorage

/// The values of a nested container, encoded by a record and stored in one JSON column.
///
/// Foundation's encoder offers no access to its containers, so the values are collected and encoded
/// afterwards.
final class NestedJSON: Encodable {
    private enum Content {
        case value(any Encodable)
        case null
        case object([(key: NestedKey, value: NestedJSON)])
        case array([NestedJSON])
    }

    private var content = Content.null
    let userInfo: [CodingUserInfoKey: Any]

    init(userInfo: [CodingUserInfoKey: Any]) {
        self.userInfo = userInfo
    }

    init(_ value: any Encodable) {
        content = .value(value)
        userInfo = [:]
    }

    var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

    // Containers requested more than once share their content, like Foundation's.

    /// Makes the value an object, unless it already is one.
    func beginObject() {
        if case .object = content { return }
        content = .object([])
    }

    /// Makes the value an array, unless it already is one.
    func beginArray() {
        if case .array = content { return }
        content = .array([])
    }

    func set(_ value: NestedJSON, _ key: some CodingKey) {
        guard case .object(var members) = content else { return }
        content = .null
        if let index = members.firstIndex(where: { $0.key.stringValue.isIdentical(to: key.stringValue) }) {
            members[index].value = value
        } else {
            members.append((NestedKey(key.stringValue), value))
        }
        content = .object(members)
    }

    /// Returns the existing nested container of a key of an object, or a new one.
    func container(_ key: some CodingKey) -> NestedJSON {
        if case .object(let members) = content,
            let known = members.first(where: { $0.key.stringValue.isIdentical(to: key.stringValue) })?.value,
            known.isContainer
        {
            return known
        }
        let value = NestedJSON(userInfo: userInfo)
        set(value, key)
        return value
    }

    private var isContainer: Bool {
        switch content {
        case .object, .array: true
        case .value, .null: false
        }
    }

    func append(_ value: NestedJSON) {
        guard case .array(var elements) = content else { return }
        content = .null
        elements.append(value)
        content = .array(elements)
    }

    func encode(to encoder: any Encoder) throws {
        switch content {
        case .value(let value): try value.encode(to: encoder)
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .object(let members):
            var container = encoder.container(keyedBy: NestedKey.self)
            for (key, value) in members { try value.encode(to: &container, key) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try element.encode(to: &container) }
        }
    }

    // The encoder applies its strategies to dates and data only if it receives the values themselves.

    private func encode(to container: inout KeyedEncodingContainer<NestedKey>, _ key: NestedKey) throws {
        if case .value(let value) = content {
            try container.encode(value, forKey: key)
        } else {
            try container.encode(self, forKey: key)
        }
    }

    private func encode(to container: inout any UnkeyedEncodingContainer) throws {
        if case .value(let value) = content {
            try container.encode(value)
        } else {
            try container.encode(self)
        }
    }
}

/// A key of a JSON object.
struct NestedKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) {
        stringValue = name
    }

    init?(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        self.init(String(intValue))
    }
}

struct NestedKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let value: NestedJSON
    let codingPath: [any CodingKey]

    init(value: NestedJSON, codingPath: [any CodingKey]) {
        self.value = value
        self.codingPath = codingPath
        value.beginObject()
    }

    func encodeNil(forKey key: Key) throws { value.set(NestedJSON(userInfo: [:]), key) }
    func encode<T: Encodable>(_ member: T, forKey key: Key) throws { value.set(NestedJSON(member), key) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(
            NestedKeyedContainer<NestedKey>(value: value.container(key), codingPath: codingPath + [key]))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        NestedUnkeyedContainer(value: value.container(key), codingPath: codingPath + [key])
    }

    func superEncoder() -> any Encoder {
        NestedEncoder(value: value.container(NestedKey("super")), codingPath: codingPath)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        NestedEncoder(value: value.container(key), codingPath: codingPath + [key])
    }
}

struct NestedUnkeyedContainer: UnkeyedEncodingContainer {
    let value: NestedJSON
    let codingPath: [any CodingKey]
    var count: Int { value.count }

    init(value: NestedJSON, codingPath: [any CodingKey]) {
        self.value = value
        self.codingPath = codingPath
        value.beginArray()
    }

    func encodeNil() throws { value.append(NestedJSON(userInfo: [:])) }
    func encode<T: Encodable>(_ element: T) throws { value.append(NestedJSON(element)) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(NestedKeyedContainer<NestedKey>(value: element(), codingPath: codingPath))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        NestedUnkeyedContainer(value: element(), codingPath: codingPath)
    }

    func superEncoder() -> any Encoder { NestedEncoder(value: element(), codingPath: codingPath) }

    private func element() -> NestedJSON {
        let element = NestedJSON(userInfo: value.userInfo)
        value.append(element)
        return element
    }
}

/// Encodes a superclass inside of a nested container.
private struct NestedEncoder: Encoder {
    let value: NestedJSON
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { value.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(NestedKeyedContainer<Key>(value: value, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        NestedUnkeyedContainer(value: value, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        NestedSingleValueContainer(value: value, codingPath: codingPath)
    }
}

private struct NestedSingleValueContainer: SingleValueEncodingContainer {
    let value: NestedJSON
    let codingPath: [any CodingKey]

    func encodeNil() throws { value.set(nil) }
    func encode<T: Encodable>(_ value: T) throws { self.value.set(value) }
}

extension NestedJSON {
    fileprivate func set(_ value: (any Encodable)?) {
        content = value.map(Content.value) ?? .null
    }
}
