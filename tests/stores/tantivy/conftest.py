from collections.abc import Iterator
from pathlib import Path

import pytest

from service.stores.tantivy import TextIndex


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "text"


@pytest.fixture
def index(folder: Path) -> Iterator[TextIndex]:
    opened = TextIndex.open(folder)
    yield opened
    opened.close()
