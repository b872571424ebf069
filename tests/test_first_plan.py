"""The way of docs/start.md from a fresh environment to a first plan: its steps, its minutes and its megabytes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lab import first_plan
from lab.first_plan import Lost, Page, Walk

START = (first_plan.ROOT / first_plan.DOCUMENT).read_text(encoding="utf-8")


def test_the_document_installs_and_starts_in_three_commands() -> None:
    *installing, up = first_plan.commands(first_plan.section(START, 1))
    assert [command.split()[-1] for command in installing] == [".venv", "."]
    assert up.endswith("bridge up")
    with pytest.raises(Lost, match="no section 9"):
        first_plan.section(START, 9)


def test_what_is_too_much_is_told() -> None:
    most = first_plan.STEPS_MAX
    assert Walk(steps=["one"] * most, seconds=299, megabytes=539, planned=["sleep"]).wrong == []
    above = Walk(steps=["one"] * (most + 1), seconds=301, megabytes=541, fetching=1e9)
    assert [line.split()[0] for line in above.wrong] == ["8", "5.0", "541", "the"]


def test_words_that_only_the_document_says_are_found_out() -> None:
    page = Page("http://127.0.0.1:9", "Click *Begin* there.")
    with pytest.raises(Lost, match="the page does not say 'Begin'"):
        page.named("Begin")
    with pytest.raises(Lost, match=r"docs/start.md does not say 'Start'"):
        page.named("Start")


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_fresh_machine_has_its_first_plan_in_seven_steps_and_five_minutes(tmp_path: Path) -> None:
    try:
        walk = first_plan.follow(tmp_path)
    except first_plan.NotFetched as error:
        pytest.skip(f"packages cannot be fetched here: {error}")
    assert walk.wrong == []
    listed = subprocess.run(
        [tmp_path / "checkout/.venv/bin/pip", "list", "--format", "freeze"], capture_output=True, text=True, check=True
    ).stdout
    installed = {line.partition("==")[0].lower() for line in listed.splitlines()}
    mandated = {"google-api-python-client", "google-auth-oauthlib", "requests", "pandas", "scikit-learn", "pydantic"}
    assert mandated | {"apscheduler"} <= installed
    assert not installed & {"aiohttp", "pywebpush", "matplotlib", "pyarrow", "pytest"}
