"""A picture of all that the graph says in a scope, to compare one moment with another."""

from typing import Any

from service.stores.neo4j.driver import Graph, Row, Transaction, fetch


async def picture(graph: Graph, scope: str) -> list[Row]:
    """All that the graph says, without ids of attributes and times of changes."""
    return await graph.read(_look, scope)


def changed(before: list[Row], after: list[Row]) -> list[Any]:
    """What differs between two pictures: of which node, what, then and now."""
    then, now = ({row["id"]: row for row in rows} for rows in (before, after))
    return [
        (then.get(one, {}).get("name"), key, then.get(one, {}).get(key), now.get(one, {}).get(key))
        for one in then.keys() | now.keys()
        for key in then.get(one, {}).keys() | now.get(one, {}).keys()
        if then.get(one, {}).get(key) != now.get(one, {}).get(key)
    ]


async def _look(tx: Transaction, scope: str) -> list[Row]:
    entities = await fetch(
        tx,
        "MATCH (e:Entity {scope: $scope}) RETURN e.id AS id, e.name AS name, "
        "e.canonical_name AS canonical, e.entity_type AS type, e.mentions AS mentions, "
        "e.aliases AS aliases, "
        "COLLECT { MATCH (e)-[:HAS_ASPECT]->(a) RETURN [a.key, a.weight] ORDER BY a.key } "
        "AS aspects, "
        "COLLECT { MATCH (e)-[:HAS_ASPECT]->(a)-[:HAS_ATTRIBUTE]->(t:Attribute) "
        "  RETURN [a.key, t.slot, t.value, t.kind, t.status, toString(t.valid_from), "
        "    t.entity_id = e.id AND t.aspect_id = a.id, t.active_slot IS NOT NULL, "
        "    COLLECT { MATCH (m)-[s:STATES]->(t) RETURN [m.id, toString(s.at)] ORDER BY m.id }, "
        "    COLLECT { MATCH (t)-[:SUPERSEDES]->(o) RETURN o.value }] "
        "  ORDER BY t.slot, t.valid_from, t.value } AS attributes, "
        "COLLECT { MATCH (e)-[r]->(o:Entity) RETURN [type(r), r.relation_type, o.id, r.mentions, "
        "  round(r.confidence, 9)] ORDER BY type(r), o.id } AS relations, "
        "COLLECT { MATCH (m)-[a:ASSERTS]->(e) RETURN [m.id, a.type, a.target_id, a.confidence] "
        "  ORDER BY m.id, a.type, a.target_id } AS evidence, "
        "COLLECT { MATCH (m:Memory)-[r:MENTIONS]->(e) RETURN [m.id, r.mention_text, r.by] "
        "  ORDER BY m.id } AS mentioned ORDER BY id",
        scope=scope,
    )
    memories = await fetch(
        tx,
        "MATCH (m:Memory {scope: $scope}) RETURN m.id AS id, m.superseded AS superseded, "
        "COLLECT { MATCH (m)-[:SUPERSEDES]->(o) RETURN o.id } AS replaces ORDER BY id",
        scope=scope,
    )
    return [*entities, *memories]
