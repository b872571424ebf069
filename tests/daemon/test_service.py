"""The files that keep the bridge running: they run our own command, on the person's own folder."""

from __future__ import annotations

import plistlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from bridge.cli import exit_code
from bridge.daemon.service import SERVICE_KINDS, SHIPPED, text
from bridge.domain.errors import SetupError
from tests.commands import bridge

ROOT = Path(__file__).parents[2]
ODD = 'a "house" of 100% $HOME'  # what a folder may be called


def value(unit: str, name: str) -> str:
    """Return the values that systemd reads for a line with one quoted word or several."""
    (found,) = re.findall(rf"^{name}=(.+)$", unit, re.MULTILINE)
    return str(found)


@pytest.mark.parametrize("kind", SERVICE_KINDS)
def test_each_kind_runs_everything(kind: str, tmp_path: Path) -> None:
    done = bridge("service", kind, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == text(kind, tmp_path)
    assert re.search(r"\bup\b", done.stdout)


def test_a_users_unit_works_on_the_folder_of_the_users_commands(tmp_path: Path) -> None:
    unit = bridge("service", "systemd", home=tmp_path / ODD).stdout
    (variable,) = shlex.split(value(unit, "Environment"))
    assert variable.replace("%%", "%") == f"BRIDGE_HOME={tmp_path / ODD}"
    program, *arguments = shlex.split(value(unit, "ExecStart"))
    assert Path(program).is_absolute()
    assert subprocess.run([program, *arguments, "--help"], capture_output=True, timeout=60).returncode == 0


def test_a_users_agent_works_on_the_folder_of_the_users_commands(tmp_path: Path) -> None:
    agent = plistlib.loads(bridge("service", "launchd", home=tmp_path / ODD).stdout.encode())
    assert agent["EnvironmentVariables"] == {"BRIDGE_HOME": str(tmp_path / ODD)}
    assert agent["ProgramArguments"][-1] == "up"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
@pytest.mark.parametrize("folder", ["plain", ODD])
def test_systemd_finds_no_fault_with_a_users_unit(folder: str, tmp_path: Path) -> None:
    place = tmp_path / "rhythm-bridge.service"
    place.write_text(text("systemd", tmp_path / folder))
    checking = ["systemd-analyze", "verify", "--user", "--man=no", place.name]
    done = subprocess.run(
        checking,
        cwd=tmp_path,
        env={"XDG_RUNTIME_DIR": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_installing_writes_the_users_unit_and_names_what_starts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BRIDGE_POLICY", "heuristic")
    done = bridge("service", "systemd", "--install", home=tmp_path)
    assert "systemctl --user enable --now rhythm-bridge" in done.stdout
    assert "BRIDGE_POLICY" in done.stderr
    assert "BRIDGE_HOME" not in done.stderr
    place = tmp_path / ".config/systemd/user/rhythm-bridge.service"
    assert place.read_text() == text("systemd", tmp_path)
    assert place.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("wrong", [["openrc"], ["container", "--install"], ["launchd", "--system"]])
def test_what_cannot_be_is_refused_with_what_can(wrong: list[str]) -> None:
    done = bridge("service", *wrong)
    assert (done.returncode, "bridge service " in done.stderr) == (2, True), done.stderr


def test_the_unit_of_a_machine_runs_what_its_head_installs_as_the_user_its_head_names() -> None:
    """systemd's path does not hold the environment that pip installs into."""
    printed = bridge("service", "systemd", "--system").stdout
    head, _, unit = printed.partition("[Unit]")
    (installed,) = re.findall(r"^# python3 -m venv (/\S+) ", head, re.MULTILINE)
    assert f"ExecStart={installed}/bin/rhythm-bridge up" in unit
    for name in ("DynamicUser", "User", "StateDirectory", "EnvironmentFile", "StateDirectoryMode", "UMask"):
        assert f"-p {name}={value(unit, name)} " in head
    (home,) = re.findall(r"BRIDGE_HOME=\S+", unit)
    assert f"{home} " in head


@pytest.mark.parametrize("kind", ["systemd", "system"])
def test_the_service_comes_back_when_its_database_does(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_DATABASE", "postgresql://127.0.0.1:1/away")
    done = bridge("up")
    assert done.returncode == exit_code(SetupError(""))
    final = re.findall(r"^RestartPreventExitStatus=(.+)$", text(kind, tmp_path), re.MULTILINE)
    assert str(done.returncode) not in " ".join(final).split()


def test_a_checkout_holds_the_files_of_its_containers() -> None:
    for kind in ("container", "compose"):
        assert (ROOT / SHIPPED[kind]).read_text() == text(kind, ROOT)


def test_one_container_is_enough_and_the_profile_adds_the_rest() -> None:
    services = yaml.safe_load(text("compose", ROOT))["services"]
    alone = [name for name, service in services.items() if "profiles" not in service]
    assert alone == ["bridge"]
    assert {name for name, service in services.items() if service.get("profiles") == ["scale"]} == {
        *("worker", "database", "proxy"),
    }
    for name in ("bridge", "worker"):
        assert services[name]["read_only"]
        assert services[name]["cap_drop"] == ["ALL"]
    (published,) = services["bridge"]["ports"]
    assert published.startswith("127.0.0.1:")  # the profile's proxy alone is open to others
    proxied = services["proxy"]["networks"]["inside"]["ipv4_address"]
    assert services["bridge"]["environment"]["BRIDGE_TRUSTED_PROXIES"] == proxied
