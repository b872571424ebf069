"""Test an installation in a minute, by importing every module, running both demos, and opening the page.

``python -m lab.smoke`` needs no test tools, so that it can test versions that these do not support. It prints the
versions that it found. Modules are left out whose libraries have an environment of their own (see ``make test-train``,
``make test-openenv``).
"""

from __future__ import annotations

import os
import pkgutil
import re
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.metadata import requires, version
from pathlib import Path

from bridge.origin import LABORATORY, PRODUCT
from lab.first_plan import PERSON, ZONE, Page, started

PACKAGES = ("bridge", "connectors", "classifiers", "policies", "rhythm_env", "lab")
APART = {
    "torch",
    "openenv",
    "peft",
    "transformers",
    "trl",
    "datasets",
    "tokenizers",
    "grimp",
    "importlinter",
    "hatchling",
}
BRIDGE = [sys.executable, "-m", "bridge"]
SECONDS = 300.0


def imported() -> int:
    """Import every module, and return the number of those whose libraries are installed.

    Only libraries in APART may be missing.
    """
    count = 0
    for package in PACKAGES:
        place = import_module(package)
        for found in pkgutil.walk_packages(place.__path__, f"{package}.", onerror=len):  # it asks again below
            if found.name.endswith("__main__"):
                continue
            try:
                import_module(found.name)
                count += 1
            except ModuleNotFoundError as error:
                if (error.name or "").partition(".")[0] not in APART:
                    raise
    return count


def shown(folder: Path) -> int:
    """Start the page in a folder, add a user, and return the number of characters of the first page."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("BRIDGE_")}
    with started([*BRIDGE, "up"], folder, variables | {"BRIDGE_HOME": str(folder)}) as url:
        page = Page(url, "")
        page.open("/")
        page.post("/welcome", {"name": PERSON, "zone": ZONE})
        return len(page.open("/"))


def versions() -> str:
    """Return the versions of the libraries that both packages require, without test tools."""
    lines = [line for package in (PRODUCT, LABORATORY) for line in requires(package) or () if "extra ==" not in line]
    names = sorted({re.split(r"[^\w.-]", line)[0] for line in lines})
    return ", ".join(f"{name} {version(name)}" for name in names)


def main() -> None:
    """Run all tests and print a line for each. Raises SystemExit if a demo fails."""
    print(f"Python {sys.version.split()[0]}: {versions()}")
    print(f"{imported()} modules imported")
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-smoke-") as folder:
        for command in (["demo"], ["lab", "demo"]):
            done = subprocess.run(  # noqa: S603
                [*BRIDGE, *command, "--json"], check=False, cwd=folder, timeout=SECONDS, stdout=subprocess.DEVNULL
            )
            if done.returncode:
                raise SystemExit(f"bridge {' '.join(command)} ended with {done.returncode}")
            print(f"bridge {' '.join(command)} works")
        print(f"the page works: {shown(Path(folder))} characters")


if __name__ == "__main__":
    main()
