/// Operations on elements, if their type has them.
package final class ElementTraits<Element: Sendable>: Sendable {
    package let areEqual: (@Sendable (Element, Element) -> Bool)?
    /// Returns the identity of an element, for lists not followed row by row.
    package let id: (@Sendable (Element) -> AnyHashable)?

    package init(
        areEqual: (@Sendable (Element, Element) -> Bool)? = nil,
        id: (@Sendable (Element) -> AnyHashable)? = nil
    ) {
        self.areEqual = areEqual
        self.id = id
    }
}

extension ElementTraits where Element: Equatable {
    package convenience init(
        comparing type: Element.Type, id: (@Sendable (Element) -> AnyHashable)? = nil
    ) {
        self.init(areEqual: { $0 == $1 }, id: id)
    }
}

/// Operations on elements of an unknown type.
///
/// The machine and the tree access elements only by these protocols. Code generic over the elements would not
/// be specialized for the types of other modules, and would look up type metadata at each step.
package protocol ErasedElementTraits: AnyObject, Sendable {
    var elementType: any Any.Type { get }
    /// Returns an empty array for the elements of a fetch.
    func makeElements() -> any FetchedElements
    /// Returns whether the elements of two entries are equal; `nil` if they are not comparable.
    func isEqual(_ leaf: ListNode, at index: Int, to otherLeaf: ListNode, at otherIndex: Int) -> Bool?
}

extension ElementTraits: ErasedElementTraits {
    package var elementType: any Any.Type { Element.self }

    package func makeElements() -> any FetchedElements { ElementBuffer(self) }

    package func isEqual(
        _ leaf: ListNode, at index: Int, to otherLeaf: ListNode, at otherIndex: Int
    ) -> Bool? {
        leaf.withElements(of: Element.self) { elements in
            otherLeaf.withElements(of: Element.self) { areEqual?(elements[index], $0[otherIndex]) }
        }
    }
}
