"""The files of a release: the same bytes from the same commit, named with their sums, and installed by their hashes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from lab import release


def test_sums_are_those_of_every_other_file(tmp_path: Path) -> None:
    for name, text in {"b.whl": "b", "a.txt": "a", release.SUMS: "older"}.items():
        (tmp_path / name).write_text(text)
    told = release.sums(tmp_path)
    assert told == "".join(f"{hashlib.sha256(n[:1].encode()).hexdigest()}  {n}\n" for n in ("a.txt", "b.whl"))
    (tmp_path / release.SUMS).write_text(told)
    subprocess.run(["sha256sum", "--check", "--strict", release.SUMS], cwd=tmp_path, check=True, capture_output=True)


def test_every_package_has_its_licence() -> None:
    told = release.licences(Path(sysconfig.get_path("purelib")))
    named = dict(line.split(": ", 1) for line in told.partition("\n\n\n")[0].splitlines())
    licence = {name.partition(" ")[0].lower(): value for name, value in named.items()}
    assert "Apache" in licence["requests"]
    assert "BSD" in licence["uvicorn"]
    assert "not named" not in {licence[name] for name in ("pandas", "numpy", "scikit-learn", "sqlalchemy", "rich")}
    assert "Permission is hereby granted, free of charge" in told


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_same_commit_gives_the_same_packages(tmp_path: Path) -> None:
    """In another folder, with other times of files, under another umask and hash seed."""
    commit, epoch = release.of_git("rev-parse", "HEAD"), release.of_git("log", "-1", "--format=%ct")
    made = []
    for name, umask in (("one", 0o022), ("two, elsewhere", 0o077)):
        before = os.umask(umask)
        try:
            release.export(commit, tmp_path / name / "source")
            for path in (tmp_path / name).rglob("*"):
                os.utime(path, (1_000_000_000 + umask, 1_000_000_000 + umask))
            release.packages(tmp_path / name / "source", tmp_path / name / "made", epoch)
        finally:
            os.umask(before)
        made.append(release.sums(tmp_path / name / "made"))
    assert made[0] == made[1]
    assert len(made[0].splitlines()) == 4


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not (release.ROOT / ".venv-sbom").is_dir(), reason="make release brings the tool for the bill")
def test_a_release_installs_from_its_files_alone(tmp_path: Path) -> None:
    made = tmp_path / "release"
    release.make(made)
    told = (made / release.READ_FIRST).read_text(encoding="utf-8")
    assert {path.name for path in made.iterdir()} >= {*("build.txt", "server.txt", release.BILL, release.LICENCES)}
    bill = json.loads((made / release.BILL).read_text(encoding="utf-8"))
    assert {"pandas", "apscheduler"} <= {part["name"].lower() for part in bill["components"]}
    assert release.of_git("rev-parse", "HEAD") in told
    place = tmp_path / "elsewhere"
    release.install(made, place)
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "BRIDGE_HOME": str(tmp_path / "home")}
    copied = shutil.copytree(release.ROOT / "fixtures" / "apple_health" / "week", tmp_path / "export")
    for command in (
        ["demo"],
        ["user", "add", "ana", "--zone", "Europe/Berlin"],
        ["import", str(copied), "--user", "ana"],
        ["plan", "--user", "ana"],
        ["doctor"],
    ):
        done = subprocess.run(
            [place / "bin" / "bridge", *command], cwd=tmp_path, env=home, capture_output=True, text=True
        )
        assert done.returncode in ((0, 1) if command == ["doctor"] else (0,)), done.stderr
