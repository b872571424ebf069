"""The gathered attacks exist, and the table of SECURITY.md holds every kind."""

from __future__ import annotations

from tests import attack


def test_every_attack_is_a_test() -> None:
    for tests in attack.ATTACKS.values():
        for file, names in tests.items():
            assert attack.defined(file), file
            assert not set(names.split()) - set(attack.defined(file)), file


def test_the_document_holds_every_kind() -> None:
    text = attack.SECURITY.read_text(encoding="utf-8")
    assert text.partition(attack.BEGIN)[2].partition(attack.END)[0] == attack.gathered()
    assert all(attack.count(tests) > 4 for tests in attack.ATTACKS.values())


def test_a_broken_attack_is_counted_with_its_kind() -> None:
    counted = attack.Counted()

    class Report:
        nodeid, when, failed, skipped = "tests/test_hostile_json.py::test_hostile[x]", "call", True, False

    counted.pytest_runtest_logreport(Report())  # type: ignore[arg-type]
    assert "| hostile files | 1 | 1 |" in attack.table(counted)
    assert "| typed addresses | 0 | 0 |" in attack.table(counted)
