"""The sample: a software team's decisions over a year, in the scope `sample`."""

from collections.abc import Iterator
from importlib.resources import files

from rich.progress import Progress

from service.cli import console
from service.cli.importing import Importer
from service.cli.options import client_of
from service.cli.tables import recalled_table
from service.client import Client

SCOPE = "sample"
_TIMEOUT_S = 600.0
QUESTION = "Where does the build cache run?"


def sample_lines() -> Iterator[bytes]:
    """Yield the sample's memories, a line of JSON each."""
    yield from files("service.cli").joinpath("sample.jsonl").read_bytes().splitlines()


def show_sample(client: Client) -> None:
    """Load the sample where the store is empty, and print a recall where the sample is there.

    Raises ClientError.
    """
    with client_of(client.url, scope=SCOPE, timeout_s=_TIMEOUT_S) as scoped:
        counts = scoped.status()["scopes"]
        if not counts:
            _load(scoped)
        elif SCOPE not in counts:
            console.note("The store holds other memories already; the sample is not loaded.")
            return
        # Room for a machine that is busy with its first start.
        answer = scoped.recall(QUESTION, limit=5, deadline_ms=5_000)
    command = f'{console.own_name()} recall "{QUESTION}" --scope {SCOPE}'
    console.out.print(f"\n$ {command}", markup=False, soft_wrap=True)
    console.out.print(recalled_table(answer))


def _load(client: Client) -> None:
    lines = list(sample_lines())
    with Progress(console=console.err, transient=True) as progress:
        task = progress.add_task(f"Loading the sample: {len(lines)} memories", total=len(lines))
        report = Importer(client, batch=24, moved=lambda: progress.advance(task)).run(lines)
    console.note(f"Sample loaded into the scope {SCOPE!r}: {report.created} memories.")
    for failure in report.failures:
        console.fail(f"the sample's {failure.where}: {failure.why}")
