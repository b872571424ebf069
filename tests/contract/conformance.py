"""Write which laws each source keeps, from the parameters of the tests that hold it to them.

A mark stands where a test of the column runs for the source. ``docs/generate.py`` writes the page.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import lab
from bridge import registry
from bridge.domain.ports import ConnectorSpec
from tests.contract.test_connectors import LIVE

HELD, NOT_HELD = "yes", "–"
UNNAMED = "no record is named"
LAW = "test_laws:test_a_source_keeps_the_law"
Test = tuple[str, dict[str, str]]  # module:function, and further parameters
ACCOUNTS: Mapping[str, tuple[Test, ...]] = {  # column -> all the tests that a source must be in
    "consent": ((LAW, {"law": "consent_is_given_saved_and_used"}), (LAW, {"law": "withdrawn_consents_are_over"})),
    "new tokens": ((LAW, {"law": "ended_tokens_cost_no_consent"}), ("test_bounds:ENDING", {})),
    "late rows": ((LAW, {"law": "late_rows_are_found"}), (LAW, {"law": "an_absence_loses_nothing"})),
    "twice is once": (("test_fixtures:test_a_case_comes_to_what_is_expected_again_and_after_a_rebuild", {}),),
    "bounds": (
        ("test_bounds:test_few_packed_bytes_do_not_fill_the_memory", {}),
        ("test_bounds:test_an_answer_that_drips_is_not_waited_for", {}),
        (LAW, {"law": "limits_are_waited_out"}),
    ),
    "bad days": (
        ("test_faults:test_a_bad_day_ends_as_the_table_says_and_heals", {}),
        ("test_bounds:test_one_odd_answer_heals_by_itself", {}),
        ("test_connectors:test_a_crash_after_any_page_loses_and_doubles_nothing", {}),
    ),
    "recording": (("test_redacted:test_nothing_that_is_planted_stays", {}),),
}
FILES: Mapping[str, tuple[Test, ...]] = {
    "twice is once": (("test_files:test_a_case_comes_to_what_is_expected_and_a_second_import_changes_nothing", {}),),
    "damaged files": (("test_files:test_a_damaged_file_is_a_reason_not_a_crash", {}),),
    "folder": (("test_files:test_a_connected_folder_is_read_once_and_again_when_it_changes", {}),),
    "zip": (("test_files:test_a_zip_of_it_comes_to_the_same", {}),),
}


@cache
def module_of(name: str) -> Any:
    return importlib.import_module(f"tests.contract.{name}")


def sources_of(test: Test) -> set[str]:
    """Return the sources that a test runs for, which is empty where it does not have the further parameters."""
    where, further = test
    module, _, name = where.partition(":")
    found = getattr(module_of(module), name)
    if isinstance(found, list):
        return set(found)
    marks = [mark.args[:2] for mark in found.pytestmark if mark.name == "parametrize"]
    values = {names if isinstance(names, str) else ",".join(names): list(some) for names, some in marks}
    for parameter, value in further.items():
        if value not in values.get(parameter, ()):
            return set()
    for names, some in values.items():
        parameters = names.replace(" ", "").split(",")
        if "source" in parameters:
            at = parameters.index("source")
            return {one if len(parameters) == 1 else one[at] for one in some}
    return set()


def keeps(source: str, tests: tuple[Test, ...]) -> bool:
    return all(source in sources_of(test) for test in tests)


def page(told: Mapping[str, Any]) -> str:
    """Return the page. ``told`` are its texts: a head, and by source what it is held against."""
    return "\n".join(
        [
            "# What each source keeps\n",
            told["head"].strip(),
            "\n## Accounts\n",
            *table(("source", *ACCOUNTS, "deletions", "held against", "seen live"), _accounts(told["against"])),
            "\n## Files\n",
            *table(("source", *FILES, "held against"), _files(told["against"])),
            "",
            told["tail"].strip() + "\n",
        ]
    )


def table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _accounts(against: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    for spec in _specs(LIVE):
        marks = [HELD if keeps(spec.name, tests) else NOT_HELD for tests in ACCOUNTS.values()]
        yield (_link(spec), *marks, deletions(spec), against.get(spec.name, UNNAMED), seen(spec.name))


def _files(against: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    for spec in _specs([spec.name for spec in registry.specs() if spec.reads is not None]):
        marks = [HELD if keeps(spec.name, tests) else NOT_HELD for tests in FILES.values()]
        yield (_link(spec), *marks, against.get(f"{spec.name} files", against.get(spec.name, UNNAMED)))


def _specs(names: list[str]) -> list[ConnectorSpec]:
    return sorted((registry.spec(name) for name in names), key=lambda spec: spec.title.casefold())


def _link(spec: ConnectorSpec) -> str:
    return f"[{spec.title.partition(' (')[0]}](sources/{spec.name}.md)"


def deletions(spec: ConnectorSpec) -> str:
    """Return whether deletions are found, and of which lists the source does not tell them."""
    if not keeps(spec.name, ((LAW, {"law": "vanished_rows_are_gone"}),)):
        return NOT_HELD
    unknown = [spec.called.get(stream, stream.replace("_", " ")) for stream in spec.deletions_unknown]
    if len(unknown) == len(spec.streams):
        return "not told"
    return f"not of {', '.join(unknown)}" if unknown else HELD


def seen(source: str) -> str:
    """Return in which year whose account was recorded, of the recordings that their owners gave away."""
    for folder in sorted(lab.fixtures("live").glob("*/")):
        if (folder / f"{source}.json").exists():
            told = tomllib.loads((folder / "seen.toml").read_text(encoding="utf-8"))
            return f"{told['year']}, {told['by']}"
    return "never"
