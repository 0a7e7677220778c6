/// Operations on elements, if their type has them.
package struct ElementTraits<Element: Sendable>: Sendable {
    /// Compares two elements.
    package var areEqual: (@Sendable (Element, Element) -> Bool)?
    /// Returns the identity of an element, for lists that are not followed row by row.
    package var id: (@Sendable (Element) -> AnyHashable)?

    package init() {}
}

extension ElementTraits where Element: Equatable {
    package init(comparing type: Element.Type = Element.self) {
        areEqual = { $0 == $1 }
    }
}
