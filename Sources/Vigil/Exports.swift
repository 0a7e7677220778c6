@_exported public import VigilEngine
@_exported public import VigilLists
@_exported public import VigilQuery
@_exported public import VigilRegions
@_exported public import VigilSQLCipher
@_exported public import VigilSQLite
@_exported public import VigilStorage

#if PostgreSQL
    @_exported public import VigilPostgres
#endif
