"""``compose.yaml`` run by podman, with the image of a release (``make release``), in a storage of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lab import release
from tests.daemon.broker import free_port

COMPOSE_LEAST = (1, 6)  # the one this ran with; 1.0.3 of Debian 12 fails on `env_file` with `required`
PASSWORD = "four small boats leaving"
CONTAINERS = """
[containers]
cgroups = "disabled"
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
"""
STORAGE = '[storage]\ndriver = "overlay"\nrunroot = "{0}/run"\ngraphroot = "{0}/storage"\n'
STEPS = """
set -eu
umount -R /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup  # podman refuses both versions at once
trap 'podman-compose down --volumes >&2 || true; podman system reset --force >&2' EXIT
podman load --quiet --input "$IMAGE" >&2
podman tag "$(podman images --quiet | head -1)" rhythm-bridge
podman-compose run --no-deps --rm bridge user add ana --zone Europe/Berlin
printf '%s\n%s\n' "$PASSWORD" "$PASSWORD" | podman-compose run --no-deps -T --rm bridge user password ana
podman-compose up --no-deps -d bridge >&2
for again in $(seq 120); do curl --silent --fail "http://127.0.0.1:$PAGE_PORT/health" && break; sleep 1; done
curl --silent --output /dev/null --write-out ' page %{http_code}\n' "http://127.0.0.1:$PAGE_PORT/login"
podman exec rhythm-bridge_bridge_1 sh -c 'id -u; touch /opt/x 2>/dev/null || echo read-only; touch /data/x && echo kept
    grep -E "NoNewPrivs|CapEff" /proc/1/status'
"""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_real_engine_runs_the_image_as_a_user_without_rights(tmp_path: Path) -> None:
    archive = release.RELEASE / release.IMAGE
    missing = [name for name in ("podman", "podman-compose", "curl", "unshare") if shutil.which(name) is None]
    if missing or os.geteuid() != 0 or not archive.exists():
        pytest.skip(f"needs root, make release, and {missing}")
    told = subprocess.run(["podman-compose", "--version"], capture_output=True, text=True).stdout
    version = re.search(r"podman-composer? version:?\s+(\d+)\.(\d+)", told)
    if version is None or (int(version[1]), int(version[2])) < COMPOSE_LEAST:
        pytest.skip(f"needs podman-compose {COMPOSE_LEAST}, and is {told}")
    shutil.copy(release.ROOT / "compose.yaml", tmp_path)
    (tmp_path / "containers.conf").write_text(CONTAINERS)
    (tmp_path / "storage.conf").write_text(STORAGE.format(tmp_path))
    settings = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "CONTAINERS_CONF": str(tmp_path / "containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(tmp_path / "storage.conf"),
        "IMAGE": str(archive),
        "PAGE_PORT": str(free_port()),
        "PASSWORD": PASSWORD,
    }
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", STEPS]
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "ana lives in Europe/Berlin" in done.stdout
    assert "page 200" in done.stdout
    assert "10001\nread-only\nkept\n" in done.stdout
    assert "CapEff:\t0000000000000000" in done.stdout
    assert "NoNewPrivs:\t1" in done.stdout
