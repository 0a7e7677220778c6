public import Foundation
import Synchronization
import VigilStorage

/// The singulars and plurals of names, for the keys of associations.
///
/// An association to the table `player` prefetches rows under the key `players`, and joins them under the key
/// `player`, unless you choose the key. If the rules of English do not suit the names of your tables, add
/// rules before you use associations:
///
/// ```swift
/// Inflections.default.irregularSuffix("cow", "kine")
/// Inflections.default.uncountableWords(["ensemble"])
/// ```
///
/// Only the last word of a name is inflected: the plural of `favoritePlayer` is `favoritePlayers`. Digits at
/// the end are kept: the plural of `player2` is `players2`.
public struct Inflections: Sendable {
    /// A rule for the end of a word.
    fileprivate enum Rule: Sendable {
        case pattern(NSRegularExpression, template: String)
        case ending(String, replacement: String)
    }

    private var plurals: [Rule] = []
    private var singulars: [Rule] = []
    private var uncountable: Set<String> = []
    /// Whether words without a rule are inflected as in English.
    private var isEnglish = false

    /// Creates inflections without rules. They change no word.
    public init() {}

    // MARK: - Rules

    /// Adds a rule for plurals before the previous ones.
    ///
    /// ```swift
    /// var inflections = Inflections()
    /// inflections.plural("$", "s")
    /// inflections.pluralize("player")  // players
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: The regular expression for the replaced part of the last word of a name.
    ///   - options: The options of the regular expression.
    ///   - template: The replacement. `$1` stands for the first captured group.
    /// - Precondition: The pattern is a regular expression.
    public mutating func plural(
        _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
    ) {
        plurals.append(Self.rule(pattern, options, template: template))
    }

    /// Adds a rule for singulars before the previous ones, with the parameters of `plural(_:options:_:)`.
    ///
    /// ```swift
    /// var inflections = Inflections()
    /// inflections.singular("s$", "")
    /// inflections.singularize("players")  // player
    /// ```
    ///
    /// - Precondition: The pattern is a regular expression.
    public mutating func singular(
        _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
    ) {
        singulars.append(Self.rule(pattern, options, template: template))
    }

    /// Adds words with equal singular and plural forms. The case of letters makes no difference.
    public mutating func uncountableWords(_ words: [String]) {
        uncountable.formUnion(words.map { $0.lowercased() })
    }

    /// Adds an irregular word, also for other words ending with it.
    ///
    /// ```swift
    /// inflections.irregularSuffix("man", "men")
    /// inflections.pluralize("salesman")  // salesmen
    /// ```
    public mutating func irregularSuffix(_ singular: String, _ plural: String) {
        plurals += [.ending(singular, replacement: plural), .ending(plural, replacement: plural)]
        singulars += [.ending(singular, replacement: singular), .ending(plural, replacement: singular)]
    }

    private static func rule(
        _ pattern: String, _ options: NSRegularExpression.Options, template: String
    ) -> Rule {
        do {
            return .pattern(try NSRegularExpression(pattern: pattern, options: options), template: template)
        } catch {
            trap("\(pattern) is not a regular expression: \(error)")
        }
    }

    // MARK: - Inflecting

    /// Returns the plural of a name in either number.
    ///
    /// ```swift
    /// Inflections.default.pluralize("player")  // players
    /// ```
    public func pluralize(_ string: String) -> String { inflect(string, by: plurals, to: \.plural) }

    /// Returns the singular of a name in either number.
    ///
    /// ```swift
    /// Inflections.default.singularize("players")  // player
    /// ```
    public func singularize(_ string: String) -> String { inflect(string, by: singulars, to: \.singular) }

    private func inflect(
        _ name: String, by rules: [Rule], to number: KeyPath<EnglishWord, String>
    ) -> String {
        let letters = name.dropLast(name.reversed().prefix { $0.isASCII && $0.isNumber }.count)
        guard !letters.isEmpty else { return name }
        let digits = name[letters.endIndex...]
        let start = Self.startIndexOfLastWord(letters)
        let word = String(letters[start...])
        if uncountable.contains(word.lowercased()) { return name }
        for rule in rules.reversed() {
            if let inflected = rule.apply(to: word) { return letters[..<start] + inflected + digits }
        }
        return isEnglish ? EnglishWord(letters)[keyPath: number] + digits : name
    }

    /// Returns where the last word of a name begins: after a separator, at a capital after a small letter, or
    /// at the last of several capitals before small letters, except before the ending of a plural such as
    /// `BOXes`.
    static func startIndexOfLastWord(_ name: Substring) -> Substring.Index {
        var start = name.endIndex
        while start > name.startIndex {
            let index = name.index(before: start)
            guard name[index].isLetter else { return start }
            let rest = name[start...]
            start = index
            guard name[index].isUppercase, index > name.startIndex else { continue }
            let isFirstCapital = !name[name.index(before: index)].isUppercase
            if isFirstCapital || (rest.first?.isLowercase == true && !["s", "es", "ies"].contains(rest)) {
                return start
            }
        }
        return start
    }
}

extension Inflections.Rule {
    /// Returns a word with its end replaced; `nil` if the rule does not match.
    fileprivate func apply(to word: String) -> String? {
        switch self {
        case .pattern(let expression, let template):
            let range = NSRange(word.startIndex..., in: word)
            guard expression.firstMatch(in: word, range: range) != nil else { return nil }
            return expression.stringByReplacingMatches(in: word, range: range, withTemplate: template)
        case .ending(let ending, let replacement):
            guard word.lowercased().hasSuffix(ending.lowercased()) else { return nil }
            let isCapitalized = word.suffix(ending.count).first?.isUppercase == true
            return word.dropLast(ending.count) + (isCapitalized ? replacement.capitalizedFirst : replacement)
        }
    }
}

// MARK: - Default inflections

extension Inflections {
    private static let shared = Mutex(english)

    private static var english: Inflections {
        var inflections = Inflections()
        inflections.isEnglish = true
        return inflections
    }

    /// The inflections of the names of tables and associations. By default, the inflections of English.
    ///
    /// Change them before you use associations: the keys of associations change with them.
    public static var `default`: Inflections {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }
}

extension String {
    var singularized: String { Inflections.default.singularize(self) }

    var pluralized: String { Inflections.default.pluralize(self) }
}
