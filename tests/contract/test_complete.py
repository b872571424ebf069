"""Every source is complete. A failure names the file, what is missing in it, and the next command."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import lab
from bridge import registry

LIVE = [name for name in registry.names("connectors") if registry.spec(name).opens is not None]
CASES = ("week", "awkward", "empty")
SHARED = {"origin", "about", "now"}  # members of a fixture that are no lists
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("source", LIVE)
def test_a_vendor_server_plays_the_source(source: str) -> None:
    found = find_spec(f"lab.vendors.{source}") is not None
    assert found, f"lab/vendors/{source}.py is missing; see lab/vendors/__init__.py for what a Vendor offers"


@pytest.mark.parametrize("source", LIVE)
def test_the_sample_has_a_row_of_every_list(source: str) -> None:
    sample = lab.fixtures(source) / "sample.json"
    if sample.is_file():
        bare = [name for name, rows in json.loads(sample.read_text(encoding="utf-8")).items() if rows == []]
        assert not bare, (
            f"{sample.relative_to(ROOT)} has no row of {', '.join(bare)}; copy one from the vendor's documentation, "
            f"then: python -m lab.fixture_maker {source}"
        )


@pytest.mark.parametrize("source", LIVE)
@pytest.mark.parametrize("case", CASES)
def test_every_case_stands_with_what_it_comes_to(source: str, case: str) -> None:
    folder = lab.fixtures(source)
    account, expected = folder / f"{case}.json", folder / f"{case}.expected.json"
    assert account.is_file(), (
        f"fixtures/{source}/{case}.json is missing; make it from sample.json: python -m lab.fixture_maker {source}"
    )
    assert expected.is_file(), (
        f"fixtures/{source}/{case}.expected.json is missing; write it, and read it: "
        f"python -m tests.contract.test_fixtures {source}"
    )


@pytest.mark.parametrize("source", registry.names("connectors"))
def test_nothing_is_left_to_do(source: str) -> None:
    folder = Path(str(registry.resolve(f"{registry.spec(source).normaliser}").__code__.co_filename)).parent
    own = (f"lab/vendors/{source}.py", f"tests/{source}/test_own.py", f"docs/sources/{source}.md")
    files = [*sorted(folder.glob("*.py")), *(ROOT / file for file in own if (ROOT / file).is_file())]
    left = [
        f"{file.relative_to(ROOT)}:{number} {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"\bTODO\b", line)
    ]
    assert not left, "\n".join(["still to be done:", *left])
