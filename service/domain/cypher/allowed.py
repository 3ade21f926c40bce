"""What a reading query may use: everything that is not named here is refused by its name.

The names are those of Neo4j 5.26. A name that a later Neo4j adds is refused until it stands here.
"""

from typing import Final


def words(text: str) -> frozenset[str]:
    """The words of a text, between spaces."""
    return frozenset(text.split())


FIRST_WORDS: Final = frozenset({"CALL", "MATCH", "OPTIONAL", "RETURN", "UNWIND", "WITH"})

REFUSED_WORDS: Final = {
    "ALTER": "changes the server",
    "CREATE": "writes",
    "CYPHER": "chooses how Neo4j runs a query",
    "DELETE": "writes",
    "DENY": "changes the server",
    "DETACH": "writes",
    "DROP": "changes the schema",
    "EXPLAIN": "is what the service does itself",
    "FOREACH": "writes",
    "GRANT": "changes the server",
    "INSERT": "writes",
    "LOAD": "reads files and addresses",
    "MERGE": "writes",
    "PROFILE": "is not needed here",
    "REMOVE": "writes",
    "REVOKE": "changes the server",
    "SET": "writes",
    "SHORTEST": "cannot be ended by Neo4j when its time is over; use shortestPath((a)-[*..6]-(b))",
    "SHOW": "tells of the server",
    "TERMINATE": "ends the work of others",
    "TRANSACTIONS": "is for writing",
    "USE": "names a database, and there is one",
}
"""Words that start what is no reading, with what is wrong about each; names of that spelling stand
in backticks."""

KEYWORDS: Final = words(
    """
    ALL AND ANY AS ASC ASCENDING BY CALL CASE CONTAINS COUNT COLLECT DESC DESCENDING DISTINCT ELSE
    END ENDS EXISTS FALSE FINISH IN IS LIMIT MATCH NOT NULL OFFSET OPTIONAL OR ORDER RETURN SKIP
    STARTS THEN TRUE UNION UNWIND WHEN WHERE WITH XOR YIELD
    """
)
"""Words of the language: what follows one of them is no call, no subscript and no projection."""

PATTERN_FUNCTIONS: Final = frozenset({"allshortestpaths", "exists", "shortestpath"})
ITERATING: Final = frozenset({"all", "any", "none", "single"})

FUNCTIONS: Final = (
    PATTERN_FUNCTIONS
    | ITERATING
    | words(
        """
        abs acos asin atan atan2 avg btrim ceil char_length character_length coalesce collect cos
        cot count date date.realtime date.statement date.transaction date.truncate datetime
        datetime.fromepoch datetime.fromepochmillis datetime.realtime datetime.statement
        datetime.transaction datetime.truncate degrees duration duration.between duration.indays
        duration.inmonths duration.inseconds e elementid endnode exp floor haversin head id isempty
        isnan keys labels last left length localdatetime localdatetime.realtime
        localdatetime.statement localdatetime.transaction localdatetime.truncate localtime
        localtime.realtime localtime.statement localtime.transaction localtime.truncate log log10
        lower ltrim max min nodes nullif percentilecont percentiledisc pi point point.distance
        point.withinbbox properties radians rand randomuuid range relationships replace reverse
        right round rtrim sign sin size split sqrt startnode stdev stdevp substring sum tail tan
        time time.realtime time.statement time.transaction time.truncate timestamp toboolean
        tobooleanlist tobooleanornull tofloat tofloatlist tofloatornull tointeger tointegerlist
        tointegerornull tolower tostring tostringlist tostringornull toupper trim type upper
        valuetype vector.similarity.cosine vector.similarity.euclidean
        """
    )
)
"""In lower case; Neo4j tells built-in functions apart without regard to case."""

PROCEDURES: Final = frozenset({"db.labels", "db.propertykeys", "db.relationshiptypes"})

ADVICE: Final = {
    "reduce": "a text or list that it makes can fill the server's memory; use UNWIND with sum(), "
    "min(), max() or collect()",
    "normalize": "use toLower()",
}

SHORT_LISTS: Final = frozenset({"keys", "labels", "nodes", "range", "relationships", "split"})
"""Functions whose list is as short as a path, a node or a text."""

OPERATORS: Final = words(
    """
    AllNodesScan Anti AntiConditionalApply AntiSemiApply Apply Argument ArgumentTracker
    AssertSameNode AssertSameRelationship AssertingMultiNodeIndexSeek
    BidirectionalRepeat(Trail) CacheProperties CartesianProduct ConditionalApply
    DirectedAllRelationshipsScan DirectedRelationshipByElementIdSeek
    DirectedRelationshipByIdSeek DirectedRelationshipIndexContainsScan
    DirectedRelationshipIndexEndsWithScan DirectedRelationshipIndexScan
    DirectedRelationshipIndexSeek DirectedRelationshipIndexSeekByRange
    DirectedRelationshipTypeScan DirectedUnionRelationshipTypesScan Distinct Eager
    EagerAggregation EmptyResult EmptyRow ExhaustiveLimit Expand(All) Expand(Into) Filter
    IntersectionNodeByLabelsScan LetAntiSemiApply LetSelectOrAntiSemiApply
    LetSelectOrSemiApply LetSemiApply Limit MultiNodeIndexSeek NodeByElementIdSeek
    NodeByIdSeek NodeByLabelScan NodeCountFromCountStore NodeHashJoin NodeIndexContainsScan
    NodeIndexEndsWithScan NodeIndexScan NodeIndexSeek NodeIndexSeekByRange
    NodeLeftOuterHashJoin NodeRightOuterHashJoin NodeUniqueIndexSeek
    NodeUniqueIndexSeekByRange NonFuseable Optional OptionalExpand(All) OptionalExpand(Into)
    OrderedAggregation OrderedDistinct OrderedUnion PartialSort PartialTop
    PartitionedAllNodesScan PathPropagatingBFS ProcedureCall ProduceResults ProjectEndpoints
    Projection RelationshipCountFromCountStore Repeat(Trail) Repeat(Walk) RollUpApply
    SelectOrAntiSemiApply SelectOrSemiApply SemiApply ShortestPath Skip Sort
    SubtractionNodeByLabelsScan Top TriadicBuild TriadicFilter TriadicSelection
    UndirectedAllRelationshipsScan UndirectedRelationshipByElementIdSeek
    UndirectedRelationshipByIdSeek UndirectedRelationshipIndexContainsScan
    UndirectedRelationshipIndexEndsWithScan UndirectedRelationshipIndexScan
    UndirectedRelationshipIndexSeek UndirectedRelationshipIndexSeekByRange
    UndirectedRelationshipTypeScan UndirectedUnionRelationshipTypesScan Union
    UnionNodeByLabelsScan Unwind ValueHashJoin VarLengthExpand(All) VarLengthExpand(Into)
    VarLengthExpand(Pruning) VarLengthExpand(Pruning,BFS,All)
    VarLengthExpand(Pruning,BFS,Into)
    """
)
"""Steps of a plan that only read, and that Neo4j ends when their time or memory is over."""


def refused_steps(steps: frozenset[str]) -> list[str]:
    """The steps of a plan, named as Neo4j does (`Create@neo4j`), that are not allowed; sorted."""
    return sorted({step.partition("@")[0] for step in steps} - OPERATORS)
