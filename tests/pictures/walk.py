"""The steps of docs/analysts.md, up to its pictures."""

import re
from typing import Any

from tests.cli.served import Served
from tests.pictures.browser import Browser


def open_guide(browser: Browser, served: Served) -> None:
    """From the address that the service printed to the first slide of the guide."""
    printed = re.search(r"Neo4j Browser\s+(\S+)", served.printed)
    assert printed is not None, served.printed
    browser.log_in(printed[1], served.run("neo4j", "password").stdout.strip())
    browser.play(f"{served.url}/browser/guide")


def prepare(browser: Browser) -> None:
    """The two boxes of the first slide: the style sheet and the parameters."""
    browser.run_box(1)
    browser.run_box(2)


def draw(browser: Browser, title: str, number: int = 1) -> Any:
    """The frame of the picture that a box of the slide of this title draws."""
    browser.turn_to(title)
    return browser.run_box(number)
