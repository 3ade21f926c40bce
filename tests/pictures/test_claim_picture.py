"""What docs/analysts.md promises of the picture of a claim, seen in a real Chromium."""

from pathlib import Path

import pytest

from tests.cli.served import serving
from tests.pictures.browser import missing, open_browser
from tests.pictures.walk import draw, open_guide, prepare

LACKING = missing()


@pytest.mark.skipif(LACKING is not None, reason=str(LACKING))
def test_the_page_leads_to_the_picture_of_a_claim(tmp_path: Path) -> None:
    with serving(tmp_path / "data", "--sample") as served, open_browser() as browser:
        open_guide(browser, served)
        prepare(browser)
        frame = draw(browser, "A claim's history")
        # Six values and six memories; six statements and five replacements, and nothing else.
        assert browser.drawn(frame) == (6 + 6, 6 + 5)
        captions = browser.captions(frame)
        assert {"bucket otter active", "elm superseded", "alder superseded"} <= captions
        assert sum(caption.endswith(" active") for caption in captions) == 1
