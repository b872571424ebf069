"""The root file system of the image, made and started in namespaces of the kernel, as a container engine would.

The steps, the user, the command and the health check come from the Containerfile. Libraries are those of this
environment, because an image's build fetches them anew.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bridge.daemon.service import text

ROOT = Path(__file__).parents[2]
HEALTHY_SECONDS = 240.0
needs_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("unshare"), reason="namespaces of mounts need root"
)
MADE = """
set -eu
mount -t tmpfs -o mode=755 tmpfs "$TREE"
for name in bin sbin lib lib64; do [ -e /$name ] && cp -P /$name "$TREE"/ 2>/dev/null || true; done
for place in /usr /etc /dev "$BASE" "$LIBRARIES"; do
    mkdir -p "$TREE$place"; mountpoint -q "$TREE$place" || mount --rbind "$place" "$TREE$place"
done
mkdir -p "$TREE"/source "$TREE"/data "$TREE"/tmp "$TREE"/proc "$TREE"/opt
mount --bind "$WHEELS" "$TREE"/source; mount --bind "$DATA" "$TREE"/data
chown -R 10001:10001 "$DATA"; chmod 700 "$DATA"
mount -t tmpfs -o mode=1777 tmpfs "$TREE"/tmp; mount -t proc proc "$TREE"/proc
chroot "$TREE" "$PYTHON" -m venv --without-pip /opt/bridge
cd "$TREE"
chroot "$TREE" env PYTHONPATH="$LIBRARIES" /opt/bridge/bin/python -m pip install --quiet --no-index --no-deps \
    --disable-pip-version-check --no-warn-script-location --root-user-action ignore /source/"$WHEEL"
echo "$LIBRARIES" > "$(echo "$TREE"/opt/bridge/lib/python*/site-packages)"/libraries.pth
mount -o remount,ro "$TREE"
inside() { chroot --userspec=10001:10001 "$TREE" env -i $VARIABLES "$@"; }
"""
STARTED = """
exec chroot --userspec=10001:10001 "$TREE" env -i $VARIABLES $COMMAND
"""


def instruction(name: str) -> str:
    """The last instruction of that name, with its continued lines in one."""
    lines = text("container", ROOT).replace("\\\n", " ").splitlines()
    return [line.removeprefix(name).strip() for line in lines if line.startswith(f"{name} ")][-1]


def built(source: Path, folder: Path) -> Path:
    """Build the wheel of a checkout into a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@contextmanager
def running(wheel: Path, data: Path, before: Sequence[str] = (), **settings: str) -> Iterator[Running]:
    """Start the image with a wheel and a data folder, and yield it once it is healthy.

    ``before`` are lines of shell before the start, in which ``inside`` runs a program as the image's user. What still
    runs in the end is killed.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    with TemporaryDirectory(prefix="bridge-tree-") as tree:
        process = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", "".join((MADE, *before, STARTED))],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"} | _variables(wheel, data, Path(tree), port, settings),
            stderr=subprocess.PIPE,
            text=True,
        )
        started = Running(process, port)
        try:
            assert started.is_healthy(), started.kill()
            yield started
        finally:
            started.kill()


def _variables(wheel: Path, data: Path, tree: Path, port: int, settings: dict[str, str]) -> dict[str, str]:
    command = [*json.loads(instruction("ENTRYPOINT")), *json.loads(instruction("CMD")), "--port", str(port)]
    ours = [f"BRIDGE_{name.upper()}={value}" for name, value in settings.items()]
    return {
        "TREE": str(tree),
        "WHEELS": str(wheel.parent),
        "WHEEL": wheel.name,
        "DATA": str(data),
        "BASE": sys.base_prefix,
        "PYTHON": os.path.realpath(sys.executable),
        "LIBRARIES": sysconfig.get_path("purelib"),
        "VARIABLES": " ".join((instruction("ENV").replace("$PATH", "/usr/bin:/bin"), *ours)),
        "COMMAND": shlex.join(command),
    }


class Running:
    """The started image."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.url, self._port = process, f"http://127.0.0.1:{port}", port

    @property
    def first(self) -> int:
        """The id, outside, of the first process inside."""
        (found,) = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(found)

    def is_healthy(self) -> bool:
        """Run the image's own health check until it succeeds, or what was started has ended."""
        _, _, check = instruction("HEALTHCHECK").partition("CMD ")
        command = [sys.executable, *json.loads(check.replace("8080", str(self._port)))[1:]]
        end = time.monotonic() + HEALTHY_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            if subprocess.run(command, capture_output=True).returncode == 0:
                return True
            time.sleep(0.5)
        return False

    def kill(self) -> str:
        """End every process inside at once, as a power cut would, and return what they wrote to stderr."""
        if self.process.poll() is None:
            os.kill(self.first, signal.SIGKILL)  # --kill-child ends with a change of the user
        return self.process.communicate(timeout=30)[1]
