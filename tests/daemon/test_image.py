"""The root file system of the image, made and started in namespaces of the kernel, as a container engine would.

The steps, the user, the command and the health check come from the Containerfile. Libraries are those of this
environment, because an image's build fetches them anew.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from bridge.daemon.service import text

ROOT = Path(__file__).parents[2]
SCRIPT = """
set -eu
mount -t tmpfs -o mode=755 tmpfs "$TREE"
for name in bin sbin lib lib64; do [ -e /$name ] && cp -P /$name "$TREE"/ 2>/dev/null || true; done
for place in /usr /etc /dev "$BASE" "$LIBRARIES"; do
    mkdir -p "$TREE$place"; mountpoint -q "$TREE$place" || mount --rbind "$place" "$TREE$place"
done
mkdir -p "$TREE"/source "$TREE"/data "$TREE"/tmp "$TREE"/proc "$TREE"/opt
mount --bind "$WHEELS" "$TREE"/source; mount --bind "$DATA" "$TREE"/data
chown 10001:10001 "$DATA"; chmod 700 "$DATA"
mount -t tmpfs -o mode=1777 tmpfs "$TREE"/tmp; mount -t proc proc "$TREE"/proc
chroot "$TREE" "$PYTHON" -m venv --without-pip /opt/bridge
cd "$TREE"
chroot "$TREE" env PYTHONPATH="$LIBRARIES" /opt/bridge/bin/python -m pip install --quiet --no-index --no-deps \
    --disable-pip-version-check --no-warn-script-location --root-user-action ignore /source/"$WHEEL"
echo "$LIBRARIES" > "$(echo "$TREE"/opt/bridge/lib/python*/site-packages)"/libraries.pth
mount -o remount,ro "$TREE"
inside() { chroot --userspec=10001:10001 "$TREE" env -i $VARIABLES "$@"; }
inside sh -c 'if touch /opt/written 2>/dev/null; then exit 9; fi; touch /data/written'
inside rhythm-bridge user add ana
echo 'a long password of hers' | inside rhythm-bridge user password ana
exec chroot --userspec=10001:10001 "$TREE" env -i $VARIABLES $COMMAND
"""


def instruction(name: str) -> str:
    """The last instruction of that name, with its continued lines in one."""
    lines = text("container", ROOT).replace("\\\n", " ").splitlines()
    return [line.removeprefix(name).strip() for line in lines if line.startswith(f"{name} ")][-1]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="namespaces of mounts need root")
def test_its_root_file_system_starts_healthy_read_only_and_stops(tmp_path: Path) -> None:
    port, (tree, wheels, data) = free_port(), (tmp_path / name for name in ("tree", "wheels", "data"))
    for folder in (tree, wheels, data):
        folder.mkdir()
    building = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(building, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = wheels.glob("*.whl")
    command = [*json.loads(instruction("ENTRYPOINT")), *json.loads(instruction("CMD")), "--port", str(port)]
    variables = {
        "TREE": str(tree),
        "WHEELS": str(wheels),
        "WHEEL": wheel.name,
        "DATA": str(data),
        "BASE": sys.base_prefix,
        "PYTHON": os.path.realpath(sys.executable),
        "LIBRARIES": sysconfig.get_path("purelib"),
        "VARIABLES": instruction("ENV").replace("$PATH", "/usr/bin:/bin"),
        "COMMAND": shlex.join(command),
    }
    assert instruction("USER") == "bridge"
    started = subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", SCRIPT],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"} | variables,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert is_healthy(port, started), (started.kill(), started.communicate()[1])
        (first,) = Path(f"/proc/{started.pid}/task/{started.pid}/children").read_text().split()
        status = Path(f"/proc/{first}/status").read_text()
        assert re.search(r"^Uid:\t10001\t10001\t10001\t10001$", status, re.MULTILINE)
        begun = time.monotonic()
        os.kill(int(first), signal.SIGTERM)
        assert started.wait(timeout=30) == 0
        assert time.monotonic() - begun < 10
    finally:
        started.kill()
        started.communicate()


def is_healthy(port: int, started: subprocess.Popen[str], seconds: float = 240) -> bool:
    """Run the image's own health check until it succeeds, or what was started has ended."""
    _, _, check = instruction("HEALTHCHECK").partition("CMD ")
    command = [sys.executable, *json.loads(check.replace("8080", str(port)))[1:]]
    end = time.monotonic() + seconds
    while time.monotonic() < end and started.poll() is None:
        if subprocess.run(command, capture_output=True).returncode == 0:
            return True
        time.sleep(0.5)
    return False
