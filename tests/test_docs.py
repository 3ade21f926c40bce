"""Every setting, route, command, limit and link of the documents agrees with the code."""

import re
import tomllib
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path

import pytest
import typer.main

from service.api.app import create_app
from service.cli.main import app as command_line
from service.config import read_settings
from service.domain.limits import Limits
from tests.settings_table import Setting, settings

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings, as they are made where it is shown."""
    headings = _HEADING.findall(_FENCE.sub("", document.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("setting", list(settings()), ids=lambda one: one.key)
def test_every_setting_is_documented(setting: Setting) -> None:
    assert setting.sentence
    rows = text_of("docs/configuration.md").splitlines()
    assert setting.row() in rows, "run python -m tests.settings_table"


def test_no_setting_is_documented_that_is_not_there() -> None:
    shown = re.findall(r"^\| `([\w.]+)` \| `", text_of("docs/configuration.md"), re.MULTILINE)
    assert shown == [one.key for one in settings()]


def test_every_route_is_documented_and_no_other() -> None:
    paths = create_app(read_settings()).openapi()["paths"]
    served = {
        f"{method.upper()} {path.replace(':path', '')}"
        for path, operations in paths.items()
        for method in operations
    }
    shown = set(re.findall(r"`((?:GET|POST|PATCH|DELETE) /[^`?\s]*)`", text_of("docs/api.md")))
    assert shown == served


def test_every_command_is_documented() -> None:
    group = typer.main.get_group(command_line)
    names = [name for name in group.commands if name not in ("neo4j", "keys")]
    for outer in ("neo4j", "keys"):
        sub = group.commands[outer].commands  # pyright: ignore[reportAttributeAccessIssue]
        names += [f"{outer} {name}" for name in sub]
    operations = text_of("docs/operations.md")
    for name in names:
        assert f"`palimpsest {name}`" in operations, name


def test_every_limit_is_documented() -> None:
    operations = text_of("docs/operations.md")
    for field in fields(Limits):
        assert f"{field.default:,}" in operations, field.name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for link in _LINK.findall(_FENCE.sub("", document.read_text(encoding="utf-8"))):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_every_document_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        document = waiting.pop()
        if document in reached:
            continue
        reached.add(document)
        for link in _LINK.findall(document.read_text(encoding="utf-8")):
            target = (document.parent / link.partition("#")[0]).resolve()
            if target.is_dir():
                waiting += target.glob("*.md")
            elif target.suffix == ".md" and target.exists():
                waiting.append(target)
    assert set(DOCUMENTS) <= reached


def test_the_version_is_the_newest_of_the_changes() -> None:
    newest = re.search(r"^## \[(\d+\.\d+\.\d+)\]", text_of("docs/CHANGELOG.md"), re.MULTILINE)
    declared = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    assert newest is not None
    assert newest[1] == declared == version("palimpsest-memory")


def test_every_recipe_that_the_readme_names_is_there() -> None:
    recipes = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)\b", text_of("README.md"))) <= recipes
