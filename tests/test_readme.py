"""The commands of the README and of the tour are run, the tour names every command, and make targets exist."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from bridge.cli import app
from lab.first_plan import copy_checkout
from lab.people.demo import stage

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")


def commands(text: str) -> list[list[str]]:
    return [shlex.split(line[2:]) for line in text.splitlines() if line.startswith("$ ")]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("text", "least"), [(README, 6), (TOUR, 40)], ids=["readme", "tour"])
def test_the_commands_of_the_documents_run(text: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    block = text.split("<!-- run -->")[1].split("<!-- /run -->")[0]
    found = commands(block)
    assert len(found) >= least
    with stage(seed=5) as (_, downloads):
        monkeypatch.chdir(Path(downloads[0]).parent)
        for command in found:
            assert command[0] == "bridge"
            code = app(command[1:], standalone_mode=False)
            assert not code, command


def run_as(home: Path, folder: Path, text: str) -> str:
    """Run the commands of a text as somebody with a home folder of their own; return what was printed."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", "\n".join(line[2:] for line in text.splitlines() if line.startswith("$ "))],
        env={"PATH": programs, "HOME": str(home)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="the steps name the folder of Linux")
@pytest.mark.timeout(300)
def test_the_steps_to_a_new_machine_bring_back_people_and_consents(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "backups.md").read_text(encoding="utf-8")
    old, new, carried, files = (tmp_path / name for name in ("old", "new", "carried", "files"))
    for folder in (old, new, carried, files):
        folder.mkdir()
    run_as(
        old,
        carried,
        f"$ bridge user add ana --zone Europe/Berlin\n$ bridge connect garmin --user ana --folder {files}\n"
        f"$ bridge sync --user ana",
    )
    now = text.split("## One backup now")[1].split("## ")[0]
    said = run_as(old, carried, now)
    mine = old / ".local" / "share" / "rhythm-bridge"
    assert all(str(mine / key) in said for key in ("key", "backup.key"))
    for key in ("key", "backup.key"):
        shutil.copy(mine / key, carried / key)
    steps = text.split("<!-- run -->")[1].split("<!-- /run -->")[0]
    assert len(commands(steps)) == 5
    assert "ana/garmin" in run_as(new, carried, steps)
    shutil.rmtree(new)
    new.mkdir()
    without_key = steps.replace("cp key backup.key", "cp backup.key")
    with pytest.raises(AssertionError, match="a key that is gone"):
        run_as(new, carried, without_key)


def test_every_command_is_in_the_tour() -> None:
    for name in named(typer.main.get_command(app)):
        assert re.search(rf"`?bridge {name}\b", TOUR), name


def named(group: Any, before: str = "") -> Iterator[str]:
    """Commands with their subcommands."""
    for name, command in group.commands.items():
        yield before + name
        yield from named(command, f"{before}{name} ") if hasattr(command, "commands") else ()


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout with an environment and a home of its own, in which no program of this one is on the path.

    The libraries are this environment's, because fetching them takes minutes: ``.ci/run`` does that.
    """
    folder = tmp_path_factory.mktemp("fresh") / "checkout"
    copy_checkout(folder)
    (folder.parent / "home").mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True, timeout=60)
    (site,) = (folder / ".venv" / "lib").glob("python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    python, options = folder / ".venv" / "bin" / "python", ["--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", *options, "--ignore-installed", "-e", folder, "-e", folder / "lab"],
        check=True,
        timeout=120,
    )
    (folder / ".venv" / "bin" / "pytest").write_text(f"#!{python}\nimport pytest\nraise SystemExit(pytest.main())\n")
    (folder / ".venv" / "bin" / "pytest").chmod(0o755)
    (folder / ".venv" / "ready").touch()
    return folder


def made(fresh: Path, command: list[str], **variables: str) -> str:
    done = subprocess.run(
        command,
        env={"HOME": str(fresh.parent / "home"), "PATH": "/usr/local/bin:/usr/bin:/bin", **variables},
        cwd=fresh,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make here")
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_both_commands_of_the_readme_work_in_an_environment_of_their_own(fresh: Path) -> None:
    demo, tests = commands(README)[:2]
    assert (demo, tests) == (["make", "demo"], ["make", "test"])
    shown = made(fresh, demo, BRIDGE_NOW="2026-11-24T10:05:00+01:00")
    assert all("keep" not in told and "because" in told for told in suggestions(shown))
    assert len(suggestions(shown)) == 2
    tested = made(fresh, tests, PYTEST_ADDOPTS="tests/test_locks.py -p no:cacheprovider")
    assert " passed" in tested


def suggestions(shown: str) -> list[str]:
    """What the demos printed after ``bridge recommend``, until the line that says how to answer."""
    return [part.split("Answer:")[0] for part in re.split(r"\$ bridge recommend .*\n", shown)[1:]]


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = {command[1] for command in commands(README + contributing) if command[0] == "make"}
    assert targets >= {"demo", "test"}
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_project_speaks_of_itself_alone() -> None:
    slip = re.compile("|".join(f"/{folder}/" for folder in ("work", "tmp")))
    for path in ROOT.rglob("*"):
        if path.suffix not in {".py", ".md", ".toml", ".json", ".txt", ".csv"} or path == Path(__file__):
            continue
        parts = path.relative_to(ROOT).parts
        if parts[0] in ("build", "dist") or any(part.startswith(".") for part in parts):  # made here, and of others
            continue
        assert not slip.search(path.read_text(encoding="utf-8", errors="replace")), path
