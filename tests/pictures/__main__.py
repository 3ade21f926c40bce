"""Take the pictures of docs/analysts.md anew: `make pictures`.

    python -m tests.pictures

Starts a service with the sample, follows the page in a Chromium, and writes docs/pictures.
"""

import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.cli.served import REPOSITORY, serving
from tests.pictures.browser import Browser, missing, open_browser
from tests.pictures.walk import draw, open_guide, prepare

PICTURES: Final = REPOSITORY / "docs" / "pictures"


def main() -> None:
    """Write every picture, or say what is missing."""
    if lacking := missing():
        sys.exit(lacking)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "data", "--sample") as served,
        open_browser() as browser,
    ):
        open_guide(browser, served)
        browser.photograph(PICTURES / "guide.png")
        prepare(browser)
        take(browser, "A claim's history", "claim_history.png")
        take(browser, "What was replaced", "replacements.png")
    sys.stdout.write(f"{PICTURES} holds the pictures\n")


def take(browser: Browser, title: str, name: str) -> None:
    """Photograph the picture that the first box of a slide draws."""
    frame = draw(browser, title)
    browser.drawn(frame)
    browser.enlarge(frame)
    browser.photograph(PICTURES / name)
    browser.shrink(frame)


if __name__ == "__main__":
    main()
