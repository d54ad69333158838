"""User agents: browsers and systems as ua-parser knows them, and what an agent is generalized to."""

from __future__ import annotations

import pytest

from shoal.text import agents

CHROME = "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.77 Safari/537.36"


def test_a_browser_and_its_system() -> None:
    assert agents.agent_of(CHROME) == agents.Agent("Chrome", "32", "Windows", "7")


def test_an_unknown_agent_has_the_name_of_its_first_product() -> None:
    assert agents.browser_of("FeedBurner/1.0 (http://www.FeedBurner.com)") == "FeedBurner"
    assert agents.browser_of("-") == agents.browser_of(None) == "-"


@pytest.mark.parametrize(
    "text", [CHROME, "Wget/1.2", "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)", "UniversalFeedParser/4.2 +http://x"]
)
def test_every_level_is_the_same_browser(text: str) -> None:
    *levels, last = agents.agent_levels(text)
    assert levels[0] == text
    assert last == "-"
    assert {agents.browser_of(level) for level in levels} == {agents.browser_of(text)}


def test_levels_from_fine_to_coarse() -> None:
    assert agents.agent_levels(CHROME) == (CHROME, "Chrome/32.0 (Windows 7)", "Chrome/32.0", "Chrome", "-")
    assert agents.agent_levels("-") == ("-",)
