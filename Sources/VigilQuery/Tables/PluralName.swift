/// Returns possible plurals of a singular name, as table names: `teams` for `team`, `countries` for
/// `country`.
func pluralNames(of name: String) -> [String] {
    var names = [name + "s"]
    let lowercased = name.lowercased()
    if lowercased.hasSuffix("y") { names.insert(name.dropLast() + "ies", at: 0) }
    if ["s", "x", "z", "ch", "sh", "o"].contains(where: lowercased.hasSuffix) { names.append(name + "es") }
    for (singular, plural) in irregularEndings where lowercased.hasSuffix(singular) {
        names.append(name.dropLast(singular.count) + plural)
    }
    return names
}

private let irregularEndings = [
    ("person", "people"), ("child", "children"), ("man", "men"), ("mouse", "mice"), ("sis", "ses"),
    ("matrix", "matrices"), ("vertex", "vertices"), ("index", "indices"), ("datum", "data"),
    ("medium", "media"), ("fe", "ves"), ("f", "ves"),
]
