"""`palimpsest fetch`: everything that is downloaded, once."""

import threading

from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from service.cli import console
from service.cli.options import settings_with


def fetch() -> None:
    """Fetch what the service needs into the user's cache: Neo4j and the embedding model.

    What is there already is checked and left alone; what is damaged is fetched again.
    """
    # Loaded only where it is needed: see serve.py.
    from service.bootstrap import fetch_downloads

    settings = settings_with(None)
    if not console.err.is_terminal:
        console.note(f"Fetching what is missing in {settings.cache_dir}; it may take minutes …")
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=console.err,
        disable=not console.err.is_terminal,
    ) as progress:
        bars: dict[str, TaskID] = {}
        guard = threading.Lock()

        def moved(what: str, done: int, total: int) -> None:
            with guard:
                if what not in bars:
                    bars[what] = progress.add_task(what, total=None)
            progress.update(bars[what], completed=done, total=total or None)

        fetched = fetch_downloads(settings, moved)
    console.out.print(
        f"{' and '.join(fetched)} ready in {settings.cache_dir}"
        if fetched
        else "Nothing is needed: neither Neo4j nor a model of its own is set.",
        markup=False,
        soft_wrap=True,
    )
