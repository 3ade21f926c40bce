"""What the list of segments on disk says: whether removed documents still stand in files."""

import json
from pathlib import Path
from typing import TypedDict, cast


class _Deletes(TypedDict):
    num_deleted_docs: int


class _Segment(TypedDict):
    segment_id: str
    deletes: _Deletes | None


def has_deleted(folder: Path) -> bool:
    """Whether a segment of the last commit still holds removed documents."""
    return any(segment["deletes"] is not None for segment in _segments(folder))


def stray_files(folder: Path) -> list[Path]:
    """Files of segments that the last commit does not name any more."""
    named = {segment["segment_id"].replace("-", "") for segment in _segments(folder)}
    return [
        path
        for path in folder.iterdir()
        if path.suffix not in {".json", ".lock"} and path.name.split(".")[0] not in named
    ]


def _segments(folder: Path) -> list[_Segment]:
    meta = json.loads((folder / "meta.json").read_text("utf-8"))
    return cast(list[_Segment], meta["segments"])
