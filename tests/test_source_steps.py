"""Connecting a source by OAuth takes at most twelve written steps, and each names what to click, type or open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bridge import registry

FOLDER = Path(__file__).parents[1] / "docs" / "sources"
STEPS_MAX = 12
STEP = re.compile(r"^\d+\. .*?(?=^\d+\. |^\S(?!\d*\. )|\Z)", re.MULTILINE | re.DOTALL)
CLICKED = re.compile(r"\*[^*]+\*|`[^`]+`|https://|\]\(")
BORROWED = re.compile(r"\]\((\w+\.md)#([\w-]+)\)")
SOURCES = [spec.name for spec in registry.specs() if spec.oauth is not None or spec.consent_scopes]


def sections(page: str) -> dict[str, str]:
    """The text below each heading of a page, by the anchor of the heading."""
    parts = re.split(r"^#{2,3} (.+)\n", (FOLDER / page).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    anchors = [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in parts[::2]]
    return dict(zip(anchors, parts[1::2], strict=True))


def is_click(step: str) -> bool:
    """Return whether *Connect* is clicked in the step."""
    return "*Connections*" in step and "*Connect*" in step


def steps_to_connect(page: str) -> list[str]:
    """The steps of the section in which *Connect* is clicked, with those of another page's section they refer to."""
    found = [STEP.findall(text) for text in sections(page).values()]
    (steps,) = [all_of for all_of in found if any(is_click(step) for step in all_of)]
    borrowed = [
        step
        for other, anchor in BORROWED.findall(" ".join(steps))
        if anchor in sections(other)
        for step in STEP.findall(sections(other)[anchor])
        if "click *Connect* at" not in step
    ]
    return borrowed + steps


@pytest.mark.parametrize("source", SOURCES)
def test_connecting_by_oauth_takes_at_most_twelve_written_steps(source: str) -> None:
    steps = steps_to_connect(f"{source}.md")
    assert 2 <= len(steps) <= STEPS_MAX
    assert [step for step in steps if not CLICKED.search(step)] == []
