"""The next step of an error: a link on the page, where the terminal names a command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from bridge.domain.languages import speaking
from bridge.domain.records import User
from bridge.web.next_steps import PAGE_OF_COMMAND, as_lines, told_on_page, with_links
from tests.web.served import Visitor

ROOT = Path(__file__).parents[2]
FOLDERS = ("bridge", "connectors", "classifiers", "policies")
TERMINAL_ALONE = ("cli", "mcp", "recordings")  # folders of the bridge whose texts reach no page
NAMED = re.compile(
    r"(?<![Tt]he )(?<![Tt]his )(?<!another )bridge ([a-z]+(?: (?:add|link|unlink|list|map|rotate|new))?)\b"
)
OPERATOR = {  # what only the person who runs the bridge does, in the terminal
    "backup",
    "backups",
    "daemon",
    "diagnostics",
    "evaluate",
    "key",
    "llm",
    "mcp",  # an assistant is told, and not the page
    "migrate",
    "rebuild",
    "restore",
    "service",
    "up",
    "user",
}


def _texts() -> Iterator[str]:
    """Yield each text of the sources that names a command, with ``x1`` in its placeholders."""
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            if file.relative_to(ROOT).parts[1] not in TERMINAL_ALONE:
                yield from (text for text in _of_file(file) if NAMED.search(text) and len(text) < 500)


def _of_file(file: Path) -> Iterator[str]:
    nodes = [*ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    of_docs = {id(node.body[0]) for node in nodes if isinstance(node, holders) and node.body}
    left_out = {
        id(part) for node in nodes if id(node) in of_docs or isinstance(node, ast.JoinedStr)
        for part in ast.iter_child_nodes(node)
    }  # fmt: skip
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "x1" for one in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.value


@cache
def texts() -> list[str]:
    """Read the sources once, by the process that runs these tests: all processes collect them."""
    return sorted(set(_texts()))


def test_no_error_names_a_command_for_which_there_is_a_page() -> None:
    assert len(texts()) > 120
    found = {text: NAMED.findall(told_on_page(text).text) for text in texts()}
    named = {text: names for text, names in found.items() if {name.partition(" ")[0] for name in names} - OPERATOR}
    closed = "of a version before 0.1.0"  # no page is served from such a database
    assert {text: names for text, names in named.items() if names != ["meters map"] and closed not in text} == {}
    assert sum(bool(told_on_page(text).places) for text in texts()) > 100


def test_what_is_left_of_an_error_is_a_text_without_loose_ends() -> None:
    left = [told_on_page(text) for text in texts()]
    loose = [
        one.text
        for one in left
        if one.places and one.text and re.search(r"[:;,(]$|\b(?:see|then|or|like|in)$", one.text)
    ]
    assert loose == []


@pytest.mark.parametrize(
    ("text", "left", "places"),
    [
        ("it is too old; see: bridge history --user ana", "it is too old", ["/history"]),
        ("copy it, then: bridge connect ics --user NAME", "copy it", ["/connections#ics"]),
        ("the consent is gone; log in again: bridge connect oura --user ana", "the consent is gone; log in again", []),
        ("restore it (see: bridge doctor), or else: bridge connect SOURCE --user NAME", "restore it", ["/begin"]),
        ("wrong; see: `bridge wish --user ana`", "wrong", ["/wishes"]),
        ("the bridge is away", "the bridge is away", []),
        ("bridge import FILE --user ana", "", ["/connections#files-head"]),
    ],
)
def test_a_command_becomes_a_link(text: str, left: str, places: list[str]) -> None:
    found = told_on_page(text)
    assert found.text == left
    assert {address for address, _ in found.places} >= set(places)


def test_a_link_speaks_the_language_of_the_page() -> None:
    text = "nothing was given, then: bridge connect ics --user <b>"
    with speaking("de"):
        assert with_links(text) == 'nothing was given. <a href="/connections#ics">iCalendar verbinden</a>'
    assert as_lines(text) == "nothing was given\n/connections#ics\tConnect iCalendar"
    assert "<b>" not in with_links("<b> is gone; see: bridge doctor")


def test_every_place_is_a_page(visitor: Visitor, ana: User) -> None:
    for place in {address for address, _ in PAGE_OF_COMMAND.values()}:
        address, _, part = place.partition("#")
        answer = visitor.get(address)
        assert answer.status_code == 200, place
        assert not part or f'id="{part}"' in answer.text


def test_a_wrong_file_leads_to_a_page_and_a_program_to_a_command(visitor: Visitor) -> None:
    visitor.get("/connections")
    shown = visitor.finished(visitor.upload("letter.txt", b"hello").text)
    assert "is not an export this bridge can read" in shown
    assert 'href="/begin"' in shown
    assert "bridge connect" not in shown
    lines = visitor.get("/advice/7/gaps", headers={"HX-Request": "true"}).text.splitlines()
    assert lines == ["ana has no recommendation 7", "/history\tHistory"]
