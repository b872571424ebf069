"""Mutations change one place, are drawn anew by a seed alone, and are killed by tests that notice them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab import mutants
from lab.mutants import Mutation, chosen_tests, mutated, outcome, places_in

TEXT = "def small(a: int) -> bool:\n    if not a or a > 5:  # é\n        return a < 2\n    return a + 1 == 3\n"


def test_each_place_of_a_module_is_changed_alone() -> None:
    found = [mutated("a.py", TEXT, number) for number in range(len(places_in(TEXT)))]
    assert [(one.before, one.after) for one in found] == [
        ("not a or a > 5", "not (not a or a > 5)"),
        ("not a or a > 5", "not a and a > 5"),
        ("not a", "a"),
        ("a > 5", "a >= 5"),
        ("5", "6"),
        ("a < 2", "a <= 2"),
        ("2", "3"),
        ("a + 1 == 3", "a + 1 != 3"),
        ("a + 1", "a - 1"),
        ("1", "2"),
        ("3", "4"),
    ]
    assert len({one.text for one in found}) == len(found)
    for one in found:
        compile(one.text, "a.py", "exec")


@pytest.mark.parametrize(("number", "told"), [(8, "killed"), (5, "survived")])
def test_what_no_test_notices_survives(tmp_path: Path, number: int, told: str) -> None:
    (tmp_path / "a.py").write_text(TEXT, encoding="utf-8")
    (tmp_path / "test_a.py").write_text(
        "from a import small\n\ndef test_it():\n    assert small(2)\n", encoding="utf-8"
    )
    mutation: Mutation = mutated("a.py", TEXT, number)
    assert outcome(mutation, ["test_a.py"], tmp_path) == told
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == TEXT


def test_a_mutation_is_slow_by_its_work_and_not_by_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "CPU_SECONDS", 2)
    (tmp_path / "a.py").write_text(TEXT, encoding="utf-8")
    (tmp_path / "test_a.py").write_text("def test_it():\n    while True:\n        pass\n", encoding="utf-8")
    assert outcome(mutated("a.py", TEXT, 5), ["test_a.py"], tmp_path) == "slow"


def test_tests_that_speak_of_the_mutated_line_come_first(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def private():\n    before = umask(0o077)\n", encoding="utf-8")
    for name, text in (("test_a.py", "x"), ("test_b.py", "before = umask(1)"), ("test_c.py", "umask(before)")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    near = [(False, 2, "test_a.py"), (False, 3, "test_b.py"), (True, 1, "test_c.py")]
    mutation = Mutation("a.py", 2, "0o077", "64", "")
    assert chosen_tests(mutation, near, tmp_path) == ["test_b.py", "test_a.py", "test_c.py"]
