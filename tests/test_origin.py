"""No text lets an installer look for our names in a registry, and the command for an extra is one that pip takes."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from bridge import origin
from bridge.doctor import examine

ROOT = Path(__file__).parents[1]
NAME = "a-probe"
PROJECT = f"""
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "{NAME}"
version = "1"
[project.optional-dependencies]
more = []
[tool.hatch.build]
dev-mode-dirs = ["."]
"""
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
APART = ("--no-index", "--no-deps", "--no-build-isolation")


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    """A checkout of a package that no registry has, in a folder whose name needs quotes."""
    folder = tmp_path / "a 'probe'"
    (folder / "a_probe").mkdir(parents=True)
    (folder / "a_probe" / "__init__.py").touch()
    (folder / "pyproject.toml").write_text(PROJECT)
    return folder


def pip(*words: str) -> str:
    return subprocess.run([*PIP, *words], check=True, capture_output=True, text=True, timeout=60).stdout


def installed(how: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the probe so that this process finds it."""
    pip("install", "--quiet", *APART, "--prefix", str(tmp_path), *how)
    monkeypatch.syspath_prepend(sysconfig.get_path("purelib", vars={"base": str(tmp_path)}))


def taken(command: str) -> str:
    """Let pip take the command as a shell would, without installing anything; returns what pip would install."""
    python, *words = shlex.split(command)
    assert python == sys.executable
    done = subprocess.run([python, *words, *APART, "--dry-run"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "grep", "-zIl", ""], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in filter(None, listed.split("\0"))]


def test_no_text_lets_an_installer_look_for_our_names() -> None:
    wrong = re.compile(r"pip install[^|\n]*rhythm-|\b(?:uvx|pipx run) rhythm-|rhythm-(?:bridge|lab)\[")
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in tracked()
        if path != Path(__file__)
        for line in path.read_text(encoding="utf-8").splitlines()
        if wrong.search(line)
    ]
    assert found == []


def test_neither_package_asks_for_the_other_by_its_name() -> None:
    for path in (ROOT / "pyproject.toml", ROOT / "lab" / "pyproject.toml"):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        asked = [*project["dependencies"], *(one for more in project["optional-dependencies"].values() for one in more)]
        assert [one for one in asked if one.startswith("rhythm")] == []


def test_every_extra_of_the_product_is_known() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {*origin.EXTRAS, "dev"} == set(extras)


@pytest.mark.parametrize("way", ["folder", "editable", "wheel"])
def test_the_command_for_an_extra_is_one_that_pip_takes(
    way: str, probe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = ["--editable", str(probe)] if way == "editable" else [str(probe)]
    if way == "wheel":
        pip("wheel", "--quiet", *APART, "--wheel-dir", str(tmp_path / "wheels"), str(probe))
        how = [str(path) for path in (tmp_path / "wheels").glob("*.whl")]
    installed(how, tmp_path, monkeypatch)
    command = origin.adding("more", NAME)
    assert f"{how[-1]}[more]" in shlex.split(command)
    assert ("--editable" in command) == (way == "editable")
    assert "Would install a-probe-1" in taken(command)
    assert str(ROOT / "constraints.txt") in command


def test_without_the_place_it_came_from_the_place_is_said(
    probe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed([str(probe)], tmp_path, monkeypatch)
    probe.rename(tmp_path / "moved")
    monkeypatch.chdir(tmp_path / "moved")
    place, _, command = origin.adding("more", NAME).partition(": ")
    assert "folder of a checkout" in place
    assert "a-probe-1" in taken(command)
    assert origin.adding("more", "never-installed").startswith(place)


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ({"url": "https://a.example/p.whl", "archive_info": {}}, f"{NAME}[more] @ https://a.example/p.whl"),
        (
            {"url": "https://a.example/p", "vcs_info": {"vcs": "git", "commit_id": "c0"}, "subdirectory": "lab"},
            f"{NAME}[more] @ git+https://a.example/p@c0#subdirectory=lab",
        ),
    ],
)
def test_an_address_is_taken_again(
    told: dict[str, object], wanted: str, probe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed([str(probe)], tmp_path, monkeypatch)
    (place,) = tmp_path.rglob("direct_url.json")
    place.write_text(json.dumps(told))
    assert wanted in shlex.split(origin.adding("more", NAME))


def test_an_image_is_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "image-extras").write_text("mcp,s3\n")
    monkeypatch.setattr(origin, "IMAGE_EXTRAS", tmp_path / "image-extras")
    assert origin.adding("plot") == "docker compose build --build-arg EXTRAS=mcp,s3,plot"
    assert origin.renewing().endswith(": docker compose build")


def test_the_doctor_prints_what_adds_an_extra_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bridge.cli.status import doctor

    with monkeypatch.context() as patch:
        patch.setattr(origin, "find_spec", lambda name: None if name == "matplotlib" else object())
        with pytest.raises(BaseException, match="1"):  # nobody has been added
            doctor()
        (told,) = (one for one in examine() if one.extra)
    assert (told.ok, told.next) == (True, origin.adding("plot"))
    assert f"plot, for a picture of curves\n  {origin.adding('plot')}\n" in capsys.readouterr().out
