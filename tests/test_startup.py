"""``bridge --help`` is quick because heavy imports happen where they are used."""

from __future__ import annotations

import resource
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from bridge.cli import ByName
from bridge.entry_points import added

HEAVY = (
    "pandas",
    "sklearn",
    "sqlalchemy",
    "googleapiclient",
    "requests",
    "apscheduler",
    "pydantic",
    "numpy",
    "alembic",
    "zoneinfo",
    "email",
    "importlib.metadata",
    "statistics",
    "bridge.domain.records",
    "bridge.domain.wishes",
    "rhythm_env.interface",
)


def _work(*command: str) -> float:
    """Seconds of processor time, the least of five runs: how busy the machine is otherwise does not count."""
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom bridge.cli import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        f"loaded = [m for m in {HEAVY!r} if m in sys.modules]\nassert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize("group", ["rhythm_bridge.commands", "rhythm_bridge.policies", "console_scripts", "none"])
def test_other_packages_entry_points_are_those_that_the_library_finds(group: str) -> None:
    assert added(group) == {entry.name: entry.value for entry in entry_points(group=group)}


def test_help_takes_less_than_300_ms_of_our_own() -> None:
    own = _work(sys.executable, "-m", "bridge", "--help") - _work(sys.executable, "-c", "pass")
    assert own < 0.3, f"{own:.3f} s"


def test_services_name_the_store_without_loading_sqlalchemy() -> None:
    services = (
        "bridge.ingest.sync, bridge.advice.recommend, bridge.advice.observation, bridge.auth.account, bridge.leases"
    )
    code = f"import sys, {services}\nassert 'sqlalchemy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_command_loads_neither_other_packages_commands_nor_the_other_database() -> None:
    code = (
        "import sys\nfrom bridge.cli import app\n"
        "app(['user', 'add', 'ana'], standalone_mode=False)\napp(['status', '-u', 'ana'], standalone_mode=False)\n"
        "unused = ('lab.cli', 'sqlalchemy.dialects.postgresql', 'numpy', 'pydantic', 'bridge.doctor')\n"
        "loaded = [m for m in unused if m in sys.modules]\nassert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_command_that_reads_numbers_reads_them_as_typer_does() -> None:
    days = [sys.executable, "-m", "bridge", "days", "-u", "ana", "--last"]
    found = subprocess.run([*days, "many"], check=False, capture_output=True, text=True)
    assert found.returncode == 2
    assert "valid integer" in found.stderr


def test_every_command_can_be_built() -> None:
    for name in ByName.found:
        assert ByName.found[name] is not None


def test_differences_are_judged_without_the_whole_of_scipys_statistics() -> None:
    """It takes 73 MB and a second of CPU, its special functions less than half of that."""
    code = (
        "import sys\nfrom bridge.query import statistics\n"
        "one, other = [3, 1, 1, 2.5, 9, 4, 1], [2, 0, 1, 1, 8, 8.5, 3]\n"
        "difference, correlation = statistics.mean_difference(one, other), statistics.rank_correlation(one, other)\n"
        "assert 'scipy.stats' not in sys.modules\n"
        "from scipy import stats\n"
        "wanted = stats.ttest_ind(one, other, equal_var=False).confidence_interval(statistics.LEVEL)\n"
        "assert max(abs(a - b) for a, b in zip(difference, wanted)) < 1e-9\n"
        "assert abs(correlation[0] - stats.spearmanr(one, other).statistic) < 1e-12\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
