"""The files of a release: the same bytes from the same commit, named with their sums, and installed by their hashes."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path

import pytest
import requests

from lab import release
from tests.daemon.broker import free_port


def test_sums_are_those_of_every_other_file(tmp_path: Path) -> None:
    for name, text in {"b.whl": "b", "a.txt": "a", release.SUMS: "older"}.items():
        (tmp_path / name).write_text(text)
    told = release.sums(tmp_path)
    assert told == "".join(f"{hashlib.sha256(n[:1].encode()).hexdigest()}  {n}\n" for n in ("a.txt", "b.whl"))
    (tmp_path / release.SUMS).write_text(told)
    subprocess.run(["sha256sum", "--check", "--strict", release.SUMS], cwd=tmp_path, check=True, capture_output=True)


def test_every_package_has_its_licence() -> None:
    told = release.licences(distributions())
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


@pytest.fixture
def made() -> Path:
    """The release that ``make release`` made."""
    if not (release.RELEASE / release.SUMS).exists():
        pytest.skip("no release is here; run: make release")
    return release.RELEASE


def blocks(made: Path) -> list[list[str]]:
    """The commands of ``VERIFY.md``: to check, to make again, to install, to run the image."""
    text = (made / release.READ_FIRST).read_text(encoding="utf-8")
    found = re.findall(r"(?:^    .+\n)+", text, re.MULTILINE)
    return [[line.strip() for line in block.splitlines()] for block in found]


@pytest.mark.slow
def test_a_release_is_whole(made: Path) -> None:
    (check,), *_ = blocks(made)
    subprocess.run(["sh", "-c", check], cwd=made, check=True, capture_output=True)
    listed = {line.split("  ")[1] for line in (made / release.SUMS).read_text(encoding="utf-8").splitlines()}
    assert listed == {path.name for path in made.iterdir()} - {release.SUMS}
    text = (made / release.READ_FIRST).read_text(encoding="utf-8")
    named = {name for name in listed if not name.endswith((".whl", ".gz"))}
    assert all(name in text for name in named - {release.READ_FIRST})
    parts = {one["name"].lower() for one in json.loads((made / release.BILL).read_text(encoding="utf-8"))["components"]}
    assert {"pandas", "apscheduler"} <= parts
    told = (made / release.LICENCES).read_text(encoding="utf-8").partition("\n\n\n")[0].splitlines()
    assert parts - {"rhythm-bridge"} <= {line.partition(" ")[0].lower() for line in told}
    assert "python3.11" in (made / release.DEBIAN).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_release_installs_from_its_files_alone(made: Path, tmp_path: Path) -> None:
    """By the commands of ``VERIFY.md``, in a folder with copies of the files, then a day and an upgrade."""
    folder = tmp_path / "files"
    shutil.copytree(made, folder, ignore=shutil.ignore_patterns(release.IMAGE))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("BRIDGE_", "PYTHON"))}
    _, _, install, _ = blocks(made)
    *installing, up = install
    for command in installing:
        subprocess.run(["sh", "-c", command], cwd=folder, env=environment, check=True)
    home = environment | {"HOME": str(tmp_path), "BRIDGE_HOME": str(tmp_path / "home")}

    def bridge(*arguments: str, **more: str) -> str:
        command = [str(folder / "rhythm-bridge" / "bin" / "bridge"), *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=home | more, capture_output=True, text=True)
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    bridge("demo")
    bridge("user", "add", "ana", "--zone", "Europe/Berlin")
    week = shutil.copytree(release.ROOT / "fixtures" / "apple_health" / "week", tmp_path / "export")
    bridge("import", str(week))
    bridge("plan")
    port = free_port()
    with subprocess.Popen([*shlex.split(up), "--port", str(port)], cwd=folder, env=home) as served:
        try:
            wait_until(lambda: answers(f"http://127.0.0.1:{port}/health"))
        finally:
            served.terminate()
    for kept in sorted(path for path in (release.ROOT / "fixtures" / "releases").iterdir() if path.is_dir()):
        earlier = tmp_path / kept.name
        earlier.mkdir()
        for name in ("key", "config.toml"):
            shutil.copy(kept / name, earlier)
        (earlier / "key").chmod(0o600)
        (earlier / "bridge.db").write_bytes(gzip.decompress((kept / "bridge.db.gz").read_bytes()))
        assert "alcohol" in bridge("note", BRIDGE_HOME=str(earlier), BRIDGE_NOW="2026-11-28T09:00:00+00:00")
        bridge("plan", BRIDGE_HOME=str(earlier))


def answers(url: str) -> bool:
    try:
        return bool(requests.get(url, timeout=5).status_code == 200)
    except requests.ConnectionError:
        return False


def wait_until(is_so: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.5)
