"""Every command of the documents, run as it stands against a service with the sample."""

import re
from pathlib import Path

import pytest

from tests.cli.served import REPOSITORY, Served, require

_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROBLEM = '"type":"urn:palimpsest:problem'


@pytest.mark.parametrize("name", ["README.md", "docs/api.md"])
def test_the_commands_work_as_they_stand(name: str, served: Served, tmp_path: Path) -> None:
    require("curl")
    if "jq" in (text := (REPOSITORY / name).read_text(encoding="utf-8")):
        require("jq")
    blocks = _BLOCK.findall(text)
    assert blocks
    done = served.shell("\n".join(["set -x", *blocks]), tmp_path)
    assert done.returncode == 0, done.stderr[-3_000:]
    refused = [line for line in done.stdout.splitlines() if _PROBLEM in line]
    # The batch of docs/api.md has one bad item, to show what becomes of it.
    assert len(refused) == (1 if name == "docs/api.md" else 0), refused


def test_the_tour_shows_what_it_says(served: Served) -> None:
    answer = served.run("recall", "Where did the build cache use to run?", "--scope", "sample")
    assert "alder" in answer.stdout
    past = served.run(
        "recall", "Which search engine do we use?", "--scope", "sample", "--as-of", "2025-06-30"
    )
    assert "OpenSearch with a fuzzy match" in past.stdout.split("Tantivy")[0]
