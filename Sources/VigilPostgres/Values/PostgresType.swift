/// The object identifiers of the types not exchanged as text.
enum PostgresType {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let regproc: UInt32 = 24
    static let text: UInt32 = 25
    static let oid: UInt32 = 26
    static let json: UInt32 = 114
    static let xml: UInt32 = 142
    static let xmlArray: UInt32 = 143
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let regprocArray: UInt32 = 1008
    static let bpchar: UInt32 = 1042
    static let varchar: UInt32 = 1043
    static let date: UInt32 = 1082
    static let timestamp: UInt32 = 1114
    static let timestampWithTimeZone: UInt32 = 1184
    static let timeWithTimeZone: UInt32 = 1266
    static let numeric: UInt32 = 1700
    static let regoper: UInt32 = 2203
    static let regoperArray: UInt32 = 2208
    static let void: UInt32 = 2278
    static let uuid: UInt32 = 2950
    static let jsonb: UInt32 = 3802

    /// The smallest number of a type created by a program.
    static let firstCreated: UInt32 = 16_384

    /// Whether the setting `DateStyle` determines how values of the type are written.
    static func dependsOnDateStyle(_ type: UInt32) -> Bool {
        type == date || type == timestamp || type == timestampWithTimeZone
    }

    /// Whether different values of the type, or of its arrays, can have the same text: names of functions and
    /// operators are written without arguments, and XML without its declaration.
    static func hasAmbiguousText(_ type: UInt32) -> Bool {
        [regproc, regprocArray, xml, xmlArray, regoper, regoperArray].contains(type)
    }

    static func isInteger(_ type: UInt32) -> Bool {
        type == int2 || type == int4 || type == int8 || type == oid
    }

    /// Whether values of the type are uninterpreted text, or JSON.
    static func isText(_ type: UInt32) -> Bool {
        [text, varchar, bpchar, name, json, jsonb].contains(type)
    }
}
