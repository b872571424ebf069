"""The gathered attacks exist, and the table of SECURITY.md holds every kind."""

from __future__ import annotations

from tests import attack


def test_every_attack_is_a_test() -> None:
    for tests in attack.ATTACKS.values():
        for file, names in tests.items():
            assert attack.defined(file), file
            assert not set(names.split()) - set(attack.defined(file)), file


def test_the_document_holds_every_kind_as_it_is_now_and_nothing_broken() -> None:
    text = attack.SECURITY.read_text(encoding="utf-8")
    _, _, *rows = text.partition(attack.BEGIN)[2].partition(attack.END)[0].splitlines()
    told = [row.strip("| ").split(" | ") for row in rows]
    assert [(kind, int(tests)) for kind, tests, _, _ in told] == [
        (k, attack.count(v)) for k, v in attack.ATTACKS.items()
    ]
    assert all(int(tried) >= int(tests) and broken == "0" for _, tests, tried, broken in told)
    assert all(attack.count(tests) > 4 for tests in attack.ATTACKS.values())


def test_a_broken_attack_is_counted_with_its_kind() -> None:
    counted = attack.Counted()

    class Report:
        nodeid, when, failed, skipped = "tests/test_hostile_json.py::test_hostile[x]", "call", True, False

    counted.pytest_runtest_logreport(Report())  # type: ignore[arg-type]
    assert f"| hostile files | {attack.count(attack.ATTACKS['hostile files'])} | 1 | 1 |" in attack.table(counted)
    assert f"| typed addresses | {attack.count(attack.ATTACKS['typed addresses'])} | 0 | 0 |" in attack.table(counted)
