"""Which questions are about the past."""

import pytest

from service.recall.past import is_about_the_past


@pytest.mark.parametrize(
    "query",
    [
        "where did the cache used to run?",
        "Where did the cache use to run",
        "what USED TO be the default",
        "which host did we originally choose?",
        "what was the limit before the change?",
        "who was on call before Ines?",
        "where did it run before?",
        "the limit as of March 2025",
        "what was it formerly called",
        "what did we say back then?",
        "what is the host that it used to run on",
        "which host was it back in 2019",
        "we used to have a rule for that",
    ],
)
def test_about_the_past(query: str) -> None:
    assert is_about_the_past(query)


@pytest.mark.parametrize(
    "query",
    [
        "what must be done before a release?",
        "before lunch",
        "what did we agree to do before a release?",
        "when is Ines back in the office?",
        "which tool is used to build images?",
        "what are they used to store",
        "the limit as of now",
        "which is the tool used to deploy",
        "what was used to sign the build",
        "as of today, who is on call?",
        "where does the cache run?",
        "who reused tokens",
        "What was decided? Ask before you merge.",
    ],
)
def test_about_the_present(query: str) -> None:
    assert not is_about_the_past(query)
