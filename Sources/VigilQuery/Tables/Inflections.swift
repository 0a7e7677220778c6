// The English singulars and plurals of table names, such as `book` for `books`. Digits at the end are kept: the plural
// of `player2` is `players2`. Only the ending of a name is considered, so that `postalAddress` has the plural
// `postalAddresses`.
extension String {
    /// The singular of a name in either number.
    var singularized: String { inflectingLetters { Inflection($0).singular } }

    /// The plural of a name in either number.
    var pluralized: String {
        inflectingLetters { letters in
            let singular = Inflection(letters).singular
            let plural = Inflection(singular).plural
            // A plural remains as it is, such as `mice`.
            return singular != letters && plural.lowercased() == letters.lowercased()
                ? letters : Inflection(letters).plural
        }
    }

    private func inflectingLetters(_ inflect: (String) -> String) -> String {
        let digits = reversed().prefix { $0.isASCII && $0.isNumber }.count
        guard digits < count else { return self }
        return inflect(String(dropLast(digits))) + suffix(digits)
    }
}

/// Inflects a name by its ending.
private struct Inflection {
    let name: String
    private let lowercased: String

    init(_ name: String) {
        self.name = name
        lowercased = name.lowercased()
    }

    var singular: String {
        if isUncountable { return name }
        for (singular, plural) in irregular where hasEnding(singular) && !plural.hasSuffix(singular) {
            return name
        }
        for (singular, plural) in irregular where hasEnding(plural) { return replacing(plural, by: singular) }
        guard lowercased.hasSuffix("s") else { return name }
        if wordsWithRegularPlural.contains(where: { hasEnding($0 + "s") }) { return replacing("s", by: "") }
        if hasSuffix(in: ["ss", "us", "is", "alias", "gas", "canvas", "atlas", "lens"]) { return name }
        if lowercased.hasSuffix("ies"), name.count > 3 { return replacing("ies", by: "y") }
        if hasSuffix(in: wordsInO.map { $0 + "es" }) { return replacing("es", by: "") }
        if hasSuffix(in: ["sses", "shes", "ches", "xes", "zzes"]) { return replacing("es", by: "") }
        if hasSuffix(in: ["aliases", "gases", "canvases", "atlases", "lenses"]) || isPluralOfUs {
            return replacing("es", by: "")
        }
        return replacing("s", by: "")
    }

    var plural: String {
        if isUncountable { return name }
        for (singular, plural) in irregular where hasEnding(singular) {
            return replacing(singular, by: plural)
        }
        if lowercased.hasSuffix("y"), let letter = lowercased.dropLast().last, !"aeiou".contains(letter) {
            return replacing("y", by: "ies")
        }
        if lowercased.hasSuffix("sis") { return replacing("sis", by: "ses") }
        if name.count > 1, hasSuffix(in: ["s", "x", "z", "ch", "sh"] + wordsInO) { return name + "es" }
        return name + "s"
    }

    /// Whether the name is a plural such as `statuses`, in contrast to `causes`.
    private var isPluralOfUs: Bool {
        guard lowercased.hasSuffix("uses"), let letter = lowercased.dropLast(4).last else { return false }
        return !"aeiou".contains(letter) && !hasSuffix(in: ["fuses", "muses", "excuses", "refuses"])
    }

    private var isUncountable: Bool { uncountable.contains { hasEnding($0) } }

    private func hasSuffix(in endings: [String]) -> Bool { endings.contains(where: lowercased.hasSuffix) }

    /// Returns whether the last word of the name is a given one: in `salesPerson` and in `sales_person` it is
    /// `person`, but in `salesperson` it is not.
    ///
    /// For compounds without separator, irregular words of more than three letters are found too.
    private func hasEnding(_ word: String) -> Bool {
        guard lowercased.hasSuffix(word) else { return false }
        guard let before = name.dropLast(word.count).last else { return true }
        if !before.isLetter { return true }
        let isCapitalized =
            name.dropLast(word.count).endIndex < name.endIndex
            && name[name.index(name.endIndex, offsetBy: -word.count)].isUppercase
        return isCapitalized || compounding.contains(word)
    }

    private func replacing(_ ending: String, by other: String) -> String {
        let isCapitalized = name.suffix(ending.count).first?.isUppercase == true && !ending.isEmpty
        return name.dropLast(ending.count) + (isCapitalized ? other.capitalizedFirst : other)
    }
}

private let uncountable = [
    "advice", "equipment", "evidence", "fish", "furniture", "information", "jeans", "metadata", "money",
    "moose",
    "music", "news", "police", "rice", "series", "sheep", "software", "species", "traffic", "weather",
]

/// Words with irregular plurals. None of them is the end of another one that precedes it.
private let irregular = [
    ("person", "people"), ("child", "children"), ("woman", "women"), ("man", "men"), ("mouse", "mice"),
    ("goose", "geese"), ("foot", "feet"), ("tooth", "teeth"), ("ox", "oxen"), ("quiz", "quizzes"),
    ("matrix", "matrices"), ("vertex", "vertices"), ("index", "indices"), ("datum", "data"),
    ("medium", "media"), ("bacterium", "bacteria"), ("criterion", "criteria"), ("axis", "axes"),
    ("analysis", "analyses"), ("basis", "bases"), ("crisis", "crises"), ("diagnosis", "diagnoses"),
    ("hypothesis", "hypotheses"), ("synthesis", "syntheses"), ("thesis", "theses"), ("life", "lives"),
    ("wife", "wives"), ("knife", "knives"), ("wolf", "wolves"), ("half", "halves"), ("shelf", "shelves"),
    ("calf", "calves"), ("thief", "thieves"), ("loaf", "loaves"), ("leaf", "leaves"), ("self", "selves"),
    ("scarf", "scarves"), ("dwarf", "dwarves"), ("elf", "elves"), ("hoof", "hooves"),
]

/// Irregular words that are also found at the end of compounds without separator, such as `grandchild`.
private let compounding: Set = [
    "person", "people", "child", "children", "woman", "women", "wife", "wives", "shelf", "shelves",
]

private let wordsInO = ["hero", "potato", "tomato", "echo", "buffalo", "torpedo", "veto", "embargo"]

/// Words whose plurals end like those of other words, from which another ending than `s` is removed.
private let wordsWithRegularPlural = [
    "movie", "cookie", "zombie", "selfie", "pie", "tie", "lie", "die", "rookie", "calorie", "cache", "ache",
    "headache", "niche", "avalanche", "menu", "guru", "emu", "taxi", "ski", "alibi", "kiwi", "emoji",
]
