/// The last word of a name, inflected by the rules of English.
///
/// Words are inflected by their endings, except for the words with misleading endings in the lists below. The
/// case of letters makes no difference, and added endings are in lower case.
struct EnglishWord {
    private let name: Substring
    /// The last word, in lower case.
    private let word: String

    /// - Parameter name: A name without digits at its end.
    init(_ name: Substring) {
        self.name = name
        word = name[Inflections.startIndexOfLastWord(name)...].lowercased()
    }

    /// The name in the singular. It may be in either number.
    var singular: String {
        if isUncountable || irregularWord(\.singular) != nil { return String(name) }
        if let (singular, plural) = irregularWord(\.plural) { return replacing(plural, by: singular) }
        guard word.hasSuffix("s"), word.count > 1, !singularsInS.contains(word) else { return String(name) }
        if singularsBeforeS.contains(String(word.dropLast())) { return dropping(1) }
        if has(["ss", "us", "is"]) { return String(name) }
        if word.hasSuffix("es"), singularsBeforeES.contains(String(word.dropLast(2))) { return dropping(2) }
        if word.hasSuffix("ies"), word.count > 3 { return dropping(3) + "y" }
        if has(["sses", "shes", "ches", "xes", "zzes", "tzes"]) || isPluralOfUs { return dropping(2) }
        return dropping(1)
    }

    /// The name in the plural. It may be in either number.
    var plural: String {
        if isUncountable || irregularWord(\.plural) != nil { return String(name) }
        if let (singular, plural) = irregularWord(\.singular) { return replacing(singular, by: plural) }
        let singular = EnglishWord(word[...]).singular
        let isPlural = singular != word && EnglishWord(singular[...]).regularPlural == word
        return isPlural ? String(name) : regularPlural
    }

    private var regularPlural: String {
        if word.hasSuffix("y"), let letter = word.dropLast().last,
            !"aeiou".contains(letter) || word.hasSuffix("quy")
        {
            return dropping(1) + "ies"
        }
        if word.hasSuffix("sis") { return dropping(2) + "es" }
        let needsVowel =
            has(["s", "x", "z", "sh"]) || (word.hasSuffix("ch") && !wordsInHardCH.contains(word))
        return name + ((needsVowel && word.count > 1) || wordsInO.contains(word) ? "es" : "s")
    }

    /// Whether the word is a plural such as `statuses`, in contrast to `causes`.
    private var isPluralOfUs: Bool {
        guard word.hasSuffix("uses"), let letter = word.dropLast(4).last else { return false }
        return letter == "i" || !"aeou".contains(letter)
    }

    private var isUncountable: Bool { uncountable.contains(word) || word.hasSuffix("series") }

    private func has(_ endings: [String]) -> Bool { endings.contains(where: word.hasSuffix) }

    /// Returns the irregular word in both numbers, given the number of the name.
    private func irregularWord(_ number: KeyPath<Irregular, String>) -> Irregular? {
        if let whole = irregularWords.first(where: { $0[keyPath: number] == word }) { return whole }
        guard !falseCompounds.contains(word) else { return nil }
        return compounding.first { word.hasSuffix($0[keyPath: number]) }
    }

    private func dropping(_ count: Int) -> String { String(name.dropLast(count)) }

    private func replacing(_ ending: String, by other: String) -> String {
        let isCapitalized = name.suffix(ending.count).first?.isUppercase == true
        return name.dropLast(ending.count) + (isCapitalized ? other.capitalizedFirst : other)
    }
}

private typealias Irregular = (singular: String, plural: String)

private let uncountable: Set = [
    "advice", "aircraft", "analytics", "athletics", "aws", "bison", "chaos", "chassis", "cms", "corps", "css",
    "deer",
    "diabetes", "dice", "dns", "economics", "electronics", "equipment", "evidence", "feedback", "firmware",
    "fish",
    "furniture", "genetics", "gps", "hardware", "headquarters", "https", "information", "ios", "jeans",
    "kudos",
    "linguistics", "logistics", "luggage", "mathematics", "means", "metadata", "money", "moose", "music",
    "news",
    "offspring", "os", "physics", "police", "politics", "pos", "rice", "robotics", "salmon", "scissors",
    "sheep", "sms",
    "software", "spacecraft", "species", "swine", "tennis", "tls", "traffic", "weather",
]

private let irregularWords: [Irregular] =
    compounding + [
        ("mouse", "mice"), ("louse", "lice"), ("goose", "geese"), ("foot", "feet"), ("tooth", "teeth"),
        ("ox", "oxen"), ("quiz", "quizzes"), ("fez", "fezzes"), ("man", "men"),
        ("matrix", "matrices"), ("vertex", "vertices"), ("vortex", "vortices"), ("codex", "codices"),
        ("appendix", "appendices"), ("datum", "data"), ("medium", "media"), ("stadium", "stadia"),
        ("bacterium", "bacteria"), ("curriculum", "curricula"), ("criterion", "criteria"),
        ("phenomenon", "phenomena"), ("corpus", "corpora"), ("genus", "genera"), ("octopus", "octopi"),
        ("alumnus", "alumni"), ("fungus", "fungi"), ("nucleus", "nuclei"), ("radius", "radii"),
        ("stimulus", "stimuli"), ("axis", "axes"), ("basis", "bases"), ("crisis", "crises"),
        ("diagnosis", "diagnoses"), ("prognosis", "prognoses"), ("oasis", "oases"), ("emphasis", "emphases"),
        ("synopsis", "synopses"), ("neurosis", "neuroses"), ("psychosis", "psychoses"),
        ("nemesis", "nemeses"),
        ("genesis", "geneses"), ("metamorphosis", "metamorphoses"), ("paralysis", "paralyses"),
        ("catalysis", "catalyses"), ("ellipsis", "ellipses"), ("testis", "testes"), ("wolf", "wolves"),
        ("half", "halves"), ("calf", "calves"), ("thief", "thieves"), ("loaf", "loaves"),
        ("sheaf", "sheaves"),
        ("self", "selves"), ("scarf", "scarves"), ("dwarf", "dwarves"), ("elf", "elves"), ("hoof", "hooves"),
    ]

/// Irregular words also at the end of compounds without separator, such as `grandchild`.
private let compounding: [Irregular] = [
    ("person", "people"), ("child", "children"), ("woman", "women"), ("man", "men"), ("wife", "wives"),
    ("life", "lives"), ("knife", "knives"), ("shelf", "shelves"), ("leaf", "leaves"), ("index", "indices"),
    ("analysis", "analyses"), ("thesis", "theses"),
]

/// Words with the endings of compounds, without being any.
private let falseCompounds: Set = [
    "human", "german", "roman", "norman", "ottoman", "shaman", "talisman", "caiman", "superhuman", "specimen",
    "regimen", "abdomen", "omen", "stamen", "hymen", "bitumen", "acumen", "ramen", "yemen", "olives",
]

/// Singulars in `s`, taken for plurals by the other rules.
private let singularsInS: Set = [
    "alias", "atlas", "bias", "canvas", "christmas", "gas", "pancreas", "texas", "lens", "asbestos", "cosmos",
    "ethos",
    "pathos", "rhinoceros", "thermos",
]

/// Singulars with plurals in `es`, like other words adding only `s`.
private let singularsBeforeES: Set = singularsInS.union(wordsInO).union([
    "iris", "ibis", "trellis", "metropolis", "clitoris", "pelvis", "topaz", "cargo", "domino", "halo",
    "mango", "motto",
    "mosquito", "tornado", "volcano", "zero",
])

private let wordsInO: Set = [
    "hero", "superhero", "antihero", "potato", "tomato", "echo", "buffalo", "torpedo", "veto", "embargo",
]

/// Words with a `ch` pronounced `k`.
private let wordsInHardCH: Set = [
    "stomach", "monarch", "patriarch", "matriarch", "epoch", "tech", "loch", "eunuch",
]

/// Singulars adding only `s`, although they end like the plurals of other words, or like singulars.
private let singularsBeforeS: Set = [
    "movie", "cookie", "zombie", "selfie", "pie", "tie", "lie", "die", "rookie", "calorie", "genie", "sortie",
    "prairie",
    "brownie", "smoothie", "hoodie", "foodie", "indie", "newbie", "birdie", "hippie", "pixie", "auntie",
    "bookie",
    "veggie", "goalie", "junkie", "magpie", "necktie", "cache", "ache", "headache", "niche", "avalanche",
    "moustache",
    "psyche", "quiche", "axe", "use", "reuse", "abuse", "misuse", "excuse", "refuse", "fuse", "muse", "ruse",
    "recluse",
    "menu", "guru", "emu", "gnu", "haiku", "tofu", "cpu", "gpu", "sku", "taxi", "ski", "alibi", "kiwi",
    "emoji", "wiki",
    "api", "uri", "gui", "kpi", "bikini", "safari", "salami", "tsunami", "rabbi",
]
