/// Trees of analysed queries in the formats of different versions of PostgreSQL.
enum RecordedTrees {
    /// PostgreSQL 15: `SELECT a, b || 'x (y) {z} \ q' AS "n} (\" FROM zz WHERE a = $1 AND b ~~* 'y%' GROUP BY
    /// a ORDER BY 2`, recorded from a server.
    static let version15 = #"""
        (({QUERY :commandType 1 :querySource 0 :canSetTag true :utilityStmt <> :resultRelation 0
        :hasAggs false :hasWindowFuncs false :hasTargetSRFs false :hasSubLinks false :hasDistinctOn
        false :hasRecursive false :hasModifyingCTE false :hasForUpdate false :hasRowSecurity false
        :isReturn false :cteList <> :rtable ({RANGETBLENTRY :alias <> :eref {ALIAS :aliasname zz
        :colnames ("a" "b")} :rtekind 0 :relid 25288 :relkind r :rellockmode 1 :tablesample <> :lateral
        false :inh true :inFromCl true :requiredPerms 2 :checkAsUser 0 :selectedCols (b 8 9)
        :insertedCols (b) :updatedCols (b) :extraUpdatedCols (b) :securityQuals <>}) :jointree
        {FROMEXPR :fromlist ({RANGETBLREF :rtindex 1}) :quals {BOOLEXPR :boolop and :args ({OPEXPR
        :opno 96 :opfuncid 65 :opresulttype 16 :opretset false :opcollid 0 :inputcollid 0 :args ({VAR
        :varno 1 :varattno 1 :vartype 23 :vartypmod -1 :varcollid 0 :varlevelsup 0 :varnosyn 1
        :varattnosyn 1 :location 126} {PARAM :paramkind 0 :paramid 1 :paramtype 23 :paramtypmod -1
        :paramcollid 0 :location 130}) :location 128} {OPEXPR :opno 1627 :opfuncid 1633 :opresulttype
        16 :opretset false :opcollid 0 :inputcollid 100 :args ({VAR :varno 1 :varattno 2 :vartype 25
        :vartypmod -1 :varcollid 100 :varlevelsup 0 :varnosyn 1 :varattnosyn 2 :location 137} {CONST
        :consttype 25 :consttypmod -1 :constcollid 100 :constlen -1 :constbyval false :constisnull
        false :location 143 :constvalue 6 [ 24 0 0 0 121 37 ]}) :location 139}) :location 133}}
        :targetList ({TARGETENTRY :expr {VAR :varno 1 :varattno 1 :vartype 23 :vartypmod -1 :varcollid
        0 :varlevelsup 0 :varnosyn 1 :varattnosyn 1 :location 77} :resno 1 :resname a :ressortgroupref
        2 :resorigtbl 25288 :resorigcol 1 :resjunk false} {TARGETENTRY :expr {OPEXPR :opno 654
        :opfuncid 1258 :opresulttype 25 :opretset false :opcollid 100 :inputcollid 100 :args ({VAR
        :varno 1 :varattno 2 :vartype 25 :vartypmod -1 :varcollid 100 :varlevelsup 0 :varnosyn 1
        :varattnosyn 2 :location 80} {CONST :consttype 25 :consttypmod -1 :constcollid 100 :constlen -1
        :constbyval false :constisnull false :location 85 :constvalue 17 [ 68 0 0 0 120 32 40 121 41 32
        123 122 125 32 92 32 113 ]}) :location 82} :resno 2 :resname n\}\ \(\\ :ressortgroupref 1
        :resorigtbl 0 :resorigcol 0 :resjunk false}) :override 0 :onConflict <> :returningList <>
        :groupClause ({SORTGROUPCLAUSE :tleSortGroupRef 2 :eqop 96 :sortop 97 :nulls_first false
        :hashable true}) :groupDistinct false :groupingSets <> :havingQual <> :windowClause <>
        :distinctClause <> :sortClause ({SORTGROUPCLAUSE :tleSortGroupRef 1 :eqop 98 :sortop 664
        :nulls_first false :hashable true}) :limitOffset <> :limitCount <> :limitOption 0 :rowMarks <>
        :setOperations <> :constraintDeps (o 25294) :withCheckOptions <> :mergeActionList <>
        :mergeUseOuterJoin false :stmt_location 0 :stmt_len 0}))
        """#

    /// PostgreSQL 18: `SELECT a, f(b) FROM t`, with the permissions in nodes of their own.
    static let version18 = #"""
        ({QUERY :commandType 1 :querySource 0 :canSetTag true :utilityStmt <> :resultRelation 0 :hasAggs false
        :hasModifyingCTE false :hasForUpdate false :hasRowSecurity false :hasGroupRTE false :isReturn false
        :cteList <> :rtable ({RANGETBLENTRY :alias <> :eref {ALIAS :aliasname t :colnames ("a" "b")} :rtekind 0
        :relid 16391 :inh true :relkind r :rellockmode 1 :perminfoindex 1 :tablesample <> :lateral false
        :inFromCl true :securityQuals <>}) :rteperminfos ({RTEPERMISSIONINFO :relid 16391 :inh true
        :requiredPerms 2 :checkAsUser 0 :selectedCols (b 8 9) :insertedCols (b) :updatedCols (b)}) :jointree
        {FROMEXPR :fromlist ({RANGETBLREF :rtindex 1}) :quals <>} :mergeActionList <> :mergeTargetRelation 0
        :mergeJoinCondition <> :targetList ({TARGETENTRY :expr {VAR :varno 1 :varattno 1 :vartype 23
        :vartypmod -1 :varcollid 0 :varnullingrels (b) :varlevelsup 0 :varreturningtype 0 :varnosyn 1
        :varattnosyn 1 :location -1} :resno 1 :resname a :ressortgroupref 0 :resorigtbl 16391 :resorigcol 1
        :resjunk false} {TARGETENTRY :expr {FUNCEXPR :funcid 16538 :funcresulttype 2950 :funcretset false
        :funcvariadic false :funcformat 0 :funccollid 0 :inputcollid 0 :args ({VAR :varno 1 :varattno 2
        :vartype 16600 :vartypmod 20004 :varcollid 0 :varnullingrels (b) :varlevelsup 0 :varreturningtype 0
        :varnosyn 1 :varattnosyn 2 :location -1}) :location -1} :resno 2 :resname f :ressortgroupref 0
        :resorigtbl 0 :resorigcol 0 :resjunk false}) :override 0 :onConflict <> :returningOldAlias <>
        :returningNewAlias <> :returningList <> :groupClause <> :setOperations <> :constraintDeps <>
        :withCheckOptions <> :stmt_location -1 :stmt_len -1})
        """#

    /// PostgreSQL 9 to 14 named the entries of the range table differently.
    static let earlier =
        "({QUERY :commandType 1 :rtable ({RTE :rtekind 0 :relid 501466 :relkind v}) :limitCount <>})"
}
