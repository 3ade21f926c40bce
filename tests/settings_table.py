"""The rows of docs/configuration.md; `python -m tests.settings_table` brings them up to date."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import AliasChoices, BaseModel, SecretStr
from pydantic.fields import FieldInfo

from service.config import Settings

_FOLDERS = {"data_dir": "`~/.local/share/palimpsest`", "cache_dir": "`~/.cache/palimpsest`"}


@dataclass(frozen=True)
class Setting:
    """One setting as a row of the document shows it."""

    key: str
    variable: str
    default: str
    bounds: str
    sentence: str

    def row(self) -> str:
        """The line of the table."""
        cells = (f"`{self.key}`", f"`{self.variable}`", self.default, self.bounds, self.sentence)
        return f"| {' | '.join(cells)} |"


def settings() -> Iterator[Setting]:
    """Every setting, in the order in which they are declared."""
    yield from _settings(Settings, "", "PALIMPSEST_")


def _settings(model: type[BaseModel], prefix: str, variable: str) -> Iterator[Setting]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _settings(kind, f"{prefix}{name}.", f"{variable}{name.upper()}__")
        else:
            yield Setting(
                key=prefix + name,
                variable=_variable(field, variable + name.upper()),
                default=_FOLDERS.get(name) or _default(field),
                bounds=_bounds(field),
                sentence=field.description or "",
            )


def _variable(field: FieldInfo, plain: str) -> str:
    alias = field.validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else plain


def _default(field: FieldInfo) -> str:
    value: Any = field.get_default()
    if value is None or value in ("", ()):
        return "—"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _bounds(field: FieldInfo) -> str:
    kinds = [field.annotation, *get_args(field.annotation)]
    for kind in kinds:
        if get_origin(kind) is Literal:
            return ", ".join(f"`{choice}`" for choice in get_args(kind))
    if SecretStr in kinds:
        return "secret"
    low = next((one.ge for one in field.metadata if isinstance(one, Ge)), None)
    high = next((one.le for one in field.metadata if isinstance(one, Le)), None)
    return "" if low is None else f"{low} to {high}"


def rewrite(document: Path) -> None:
    """Bring the rows that the document has up to date; a new setting's row is added by hand."""
    rows = {f"| `{one.key}` |": one.row() for one in settings()}
    lines = document.read_text(encoding="utf-8").splitlines()
    fresh = [next((row for at, row in rows.items() if line.startswith(at)), line) for line in lines]
    document.write_text("\n".join(fresh) + "\n", encoding="utf-8")


if __name__ == "__main__":
    rewrite(Path(__file__).parents[1] / "docs" / "configuration.md")
