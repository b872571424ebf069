"""Take away the files of installed packages that the bridge never reads."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from bridge.domain.errors import SetupError

DESCRIPTIONS = Path("googleapiclient/discovery_cache/documents")  # of all of Google's APIs, 110 MB
USED_DESCRIPTIONS = ("calendar.v3.json", "tasks.v1.json")  # of Google Health the connector needs none
TESTS = ("test", "tests")
SOURCES = (".a", ".c", ".cc", ".cpp", ".exe", ".h", ".hpp", ".pxd", ".pxi", ".pyi", ".pyx")  # and declarations
INSTALLERS = ("pip", "setuptools", "hatchling")  # seldom run, so that they need not be compiled
ADVICE = "install into an environment of its own: python3 -m venv /opt/rhythm-bridge"


def slim() -> tuple[float, float]:
    """Take away what is not used from the environment of this program. Return its megabytes before and after.

    Raises SetupError outside of a virtual environment, whose packages other programs use too, and in a checkout's.
    """
    if sys.prefix == sys.base_prefix:
        raise SetupError(f"this Python has packages of other programs; {ADVICE}")
    direct = distribution("rhythm-bridge").read_text("direct_url.json")
    if direct and json.loads(direct).get("dir_info", {}).get("editable"):
        raise SetupError(f"this is the environment of a checkout, whose tests need all files; {ADVICE}")
    before = megabytes(Path(sys.prefix))
    for path in list(superfluous(Path(sysconfig.get_path("purelib")))):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return before, megabytes(Path(sys.prefix))


def superfluous(site: Path) -> Iterator[Path]:
    """Yield the files and whole folders below the folder of packages ``site`` that the bridge does not use."""
    yield from (path for path in (site / DESCRIPTIONS).glob("*.json") if path.name not in USED_DESCRIPTIONS)
    yield from (cached for name in INSTALLERS for cached in (site / name).rglob("__pycache__"))
    for folder, inside, files in os.walk(site):
        if Path(folder) != site:  # a package may be called so itself
            tests = [name for name in inside if name in TESTS]
            yield from (Path(folder) / name for name in tests)
            inside[:] = [name for name in inside if name not in tests]
        yield from (Path(folder) / name for name in files if name.endswith(SOURCES))


def megabytes(folder: Path) -> float:
    """Return the disk space that the files of a folder take, in megabytes of 2**20 bytes, as ``du -m`` counts."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*")) / 2**20
