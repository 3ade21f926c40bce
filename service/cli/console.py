"""Where commands print: answers to standard output, everything else to standard error."""

import os
import shutil
import sys
from pathlib import Path

from rich.console import Console

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def fail(message: str) -> None:
    """Print one error for a person, without a stack trace."""
    err.print(f"palimpsest: {message}", style="red", markup=False, soft_wrap=True)


def note(message: str) -> None:
    """Print something beside the answer."""
    err.print(message, markup=False, soft_wrap=True)


def own_name() -> str:
    """Return how this command is called here: by its name where that is found, else its path."""
    called = Path(sys.argv[0])
    found = shutil.which(called.name)
    if found is not None and Path(found).resolve() == called.resolve():
        return called.name
    inside = called.is_absolute() and called.is_relative_to(Path.cwd())
    return os.path.relpath(called) if inside else str(called)
