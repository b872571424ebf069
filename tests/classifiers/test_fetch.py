"""Public calendars come from their repositories at the commit that was labelled."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from lab.classifier.corpus import CORPUS
from lab.classifier.fetch import LISTED, fetch


def git(place: Path, *arguments: str) -> str:
    who = {f"GIT_{role}_{part}": "x@example.com" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    run = subprocess.run(["git", *arguments], cwd=place, check=True, capture_output=True, env=os.environ | who)
    return run.stdout.decode().strip()


def test_the_calendars_of_a_commit_are_written(tmp_path: Path) -> None:
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    (theirs / "old").mkdir(parents=True)
    (theirs / "old" / "a.ics").write_text("first")
    (theirs / "notes.txt").write_text("not a calendar")
    git(theirs, "init", "--quiet")
    git(theirs, "add", ".")
    git(theirs, "commit", "--quiet", "-m", "one")
    commit = git(theirs, "rev-parse", "HEAD")[:10]
    (theirs / "old" / "a.ics").write_text("second")
    git(theirs, "commit", "--quiet", "-a", "-m", "two")
    assert fetch(theirs.as_uri(), commit, mine) == 1
    assert [(path.relative_to(mine).as_posix(), path.read_text()) for path in mine.rglob("*.ics")] == [
        ("old/a.ics", "first")
    ]


def test_every_labelled_repository_is_listed_with_its_commit() -> None:
    listed = {repository for repository, _ in LISTED.findall((CORPUS / "entries.md").read_text(encoding="utf-8"))}
    named = {
        line.split("\t")[1]
        for path in CORPUS.glob("entries_*.tsv")
        for line in path.read_text(encoding="utf-8").splitlines()[1:]
    }
    assert named == listed
