"""Download the public calendars whose entries are labelled, by git (``python -m lab.classifier.fetch FOLDER``).

``titles/entries.md`` names their repositories and commits. The files come as ``OWNER/NAME/PATH.ics``. A repository that
no longer exists is named and left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.classifier.corpus import CORPUS

HOST = "https://github.com"
LISTED = re.compile(r"^\| [a-z ]+ \| ([\w.-]+/[\w.-]+), ([0-9a-f]{10}) \|", re.MULTILINE)
LARGEST = 20_000_000  # bytes of a calendar that is written
PATIENCE_S = 600


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.classifier.fetch", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the calendars go")
    parser.add_argument("--host", default=HOST, help="where the repositories are")
    given = parser.parse_args(arguments)
    listed = LISTED.findall((CORPUS / "entries.md").read_text(encoding="utf-8"))
    for number, (repository, commit) in enumerate(listed, 1):
        try:
            files = fetch(f"{given.host}/{repository}", commit, given.folder / repository)
            said = f"{files} calendars"
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            said = "not there, left out"
        print(f"{number} of {len(listed)}: {repository}, {said}", file=sys.stderr)


def fetch(address: str, commit: str, into: Path) -> int:
    """Write the calendars of a repository at a commit into a folder, and return their number.

    Raises subprocess.CalledProcessError if git fails.
    """
    with TemporaryDirectory() as place:
        _git("clone", "--quiet", "--bare", "--filter=blob:none", address, place)
        files = 0
        for name in _calendars(place, commit):
            content = _git("-C", place, "show", f"{commit}:{name}")
            path = into / name
            if len(content) <= LARGEST and into.resolve() in path.resolve().parents:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                files += 1
        return files


def _calendars(place: str, commit: str) -> Iterator[str]:
    listed = _git("-C", place, "ls-tree", "-r", "-z", "--name-only", commit).decode(errors="replace")
    return (name for name in listed.split("\0") if name.endswith(".ics"))


def _git(*arguments: str) -> bytes:
    command = ["git", *arguments]
    return subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE_S).stdout  # noqa: S603 - a listed repository


if __name__ == "__main__":
    main()
