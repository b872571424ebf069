"""Files that run the bridge as a service, for systemd, launchd and containers."""

from __future__ import annotations

import os
import plistlib
import sys
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

from bridge.domain.errors import SetupError

SHIPPED = {"system": "rhythm-bridge.service", "container": "Containerfile", "compose": "compose.yaml"}
LABEL = "rhythm-bridge"
PLACES = {  # the file of a user's service, and the command that starts it
    "systemd": (
        f".config/systemd/user/{LABEL}.service",
        f"systemctl --user daemon-reload && systemctl --user enable --now {LABEL}",
    ),
    "launchd": (f"Library/LaunchAgents/{LABEL}.plist", "launchctl bootstrap gui/$(id -u) {place}"),
}
SERVICE_KINDS = (*PLACES, "container", "compose")
OF_A_PROCESS = {"BRIDGE_HOME", "BRIDGE_LOG", "BRIDGE_NOW"}  # variables that are no settings of the installation

USER_UNIT = """\
# bridge service systemd --install
# systemctl --user daemon-reload && systemctl --user enable --now rhythm-bridge
# Without a login, too: loginctl enable-linger
# What it says: journalctl --user -u rhythm-bridge
# It works on the same folder as your own commands. Settings stand in config.toml there.

[Unit]
Description=The page of rhythm-bridge, which keeps watch, calendar and advice in step
After=network-online.target

[Service]
Type=simple
ExecStart={command}
Environment={home}
Restart=on-failure
RestartSec=10
TimeoutStopSec=15
UMask=0077

LockPersonality=yes
NoNewPrivileges=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native

[Install]
WantedBy=default.target
"""


def text(kind: str, folder: Path) -> str:
    """Return the file of a service, which is ``system``, ``systemd``, ``launchd``, ``container`` or ``compose``.

    A user's service works on the data in ``folder``. Raises SetupError for another kind.
    """
    if kind in SHIPPED:
        return files(__name__).joinpath(SHIPPED[kind]).read_text(encoding="utf-8")
    rendered: Mapping[str, Callable[[Path], str]] = {"systemd": _user_unit, "launchd": _agent}
    if kind not in rendered:
        raise SetupError(f"there is no service file for {kind}; write: bridge service {' or '.join(SERVICE_KINDS)}")
    return rendered[kind](folder.absolute())


def _user_unit(folder: Path) -> str:
    command = " ".join(_quoted(part.replace("$", "$$")) for part in _command())
    return USER_UNIT.format(command=command, home=_quoted(f"BRIDGE_HOME={folder}"))


def _quoted(word: str) -> str:
    # https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html#Quoting
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _command() -> list[str]:
    program = Path(sys.executable).with_name("rhythm-bridge")
    return [str(program), "up"] if program.exists() else [sys.executable, "-P", "-m", "bridge", "up"]


def _agent(folder: Path) -> str:
    wanted = {
        "Label": LABEL,
        "ProgramArguments": _command(),
        "EnvironmentVariables": {"BRIDGE_HOME": str(folder)},
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ExitTimeOut": 15,
        "Umask": 0o077,
        "StandardErrorPath": str(folder / "service.log"),
    }
    return plistlib.dumps(wanted, sort_keys=False).decode()


def install(kind: str, written: str) -> tuple[Path, str]:
    """Write a user's service file, whose text is ``written``. Return its path and the command that starts the service.

    Raises SetupError for a kind that has no usual path.
    """
    if kind not in PLACES:
        raise SetupError(
            f"--install has no place for a {kind} file; write it where you need it: bridge service {kind} > "
            f"{SHIPPED.get(kind, 'FILE')}"
        )
    below, command = PLACES[kind]
    place = Path.home() / below
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(written, encoding="utf-8")
    return place, command.format(place=place)


def only_in_this_shell() -> list[str]:
    """Return the sorted names of variables ``BRIDGE_*`` in this shell, which a service would not see."""
    return sorted(name for name in os.environ if name.startswith("BRIDGE_") and name not in OF_A_PROCESS)
