@_exported public import Vigil
