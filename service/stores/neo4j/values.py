"""Neo4j's values as plain JSON values."""

import math
from collections.abc import Mapping
from typing import Any, Final, cast

from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from service.stores.neo4j.records import moment

_UTC: Final = "+00:00"


def plain(value: Any) -> Any:
    """Return a value of a result as JSON has it.

    A node is `{element_id, labels, properties}`, a relationship `{element_id, type, start, end,
    properties}`, a path `{nodes, relationships}`, a point `{srid, coordinates}`, bytes
    `{bytes: length}`; a moment is RFC 3339 in UTC with `Z`; other temporal values are ISO 8601;
    what is no number of JSON is `"NaN"`, `"Infinity"` or `"-Infinity"`.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _word(value)
    if isinstance(value, Node):
        return {
            "element_id": value.element_id,
            "labels": sorted(value.labels),
            "properties": _mapping(value),
        }
    if isinstance(value, Relationship):
        return _relationship(value)
    if isinstance(value, Path):
        return {
            "nodes": [plain(node) for node in value.nodes],
            "relationships": [plain(each) for each in value.relationships],
        }
    if isinstance(value, list):
        return [plain(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return _mapping(cast("dict[str, Any]", value))
    return _scalar(value)


def _relationship(value: Relationship) -> dict[str, Any]:
    start, end = value.start_node, value.end_node
    return {
        "element_id": value.element_id,
        "type": value.type,
        "start": None if start is None else start.element_id,
        "end": None if end is None else end.element_id,
        "properties": _mapping(value),
    }


def _mapping(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: plain(item) for key, item in value.items()}


def _scalar(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return {"bytes": len(value)}
    if isinstance(value, DateTime) and value.tzinfo is not None:
        return moment(value).isoformat().replace(_UTC, "Z")
    if isinstance(value, DateTime | Date | Time | Duration):
        return value.iso_format()
    if isinstance(value, Point):
        point = cast("tuple[float, ...]", value)
        return {"srid": cast("Any", value).srid, "coordinates": [plain(each) for each in point]}
    return str(value)


def _word(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
