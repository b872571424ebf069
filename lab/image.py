"""Build the container image of a release, with Debian and its Python by mmdebstrap and the rest by podman.

Neither needs a running container service. They need root, because a base system has files of several owners.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

NAME, BASE, SUITE = "localhost/rhythm-bridge", "localhost/rhythm-bridge-base", "bookworm"
PYTHON = (3, 11)  # of that Debian; the libraries are fetched by the same
MEGABYTES_MAX = 480  # of 10**6 bytes, unpacked
PACKAGES = ("usr-is-merged", "python3", "python3-venv", "libstdc++6", "ca-certificates", "passwd", "tzdata")
LEFT_OUT = ("man/*", "locale/*", "doc/*")  # of /usr/share, but for licences
STRIPPED = (
    'find "$1/usr" -name __pycache__ -prune -exec rm -r {} + ; rm -f "$1"/var/cache/debconf/*-old "$1"/var/log/*.log'
)
LISTED = "dpkg-query --admindir=\"$1\"/var/lib/dpkg --show --showformat='${Package} ${Version}\\n' > "
DOCKERFILE_OF_BASE = "FROM scratch\nADD base.tar /\n"


@dataclass(frozen=True)
class Image:
    """A built image with its OCI folder, its version of Debian, and its unpacked size."""

    folder: Path
    base: str
    megabytes: int


def check_tools() -> None:
    """Exit with the command that installs a missing tool, or a message without root rights or Python 3.11."""
    missing = [name for name in ("mmdebstrap", "podman") if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        sys.exit(f"the image needs root, and Debian's tools: apt-get install mmdebstrap podman (missing: {missing})")
    if sys.version_info[:2] != PYTHON:
        sys.exit("the image has Python 3.11: make it with that, PYTHON=python3.11 make release")


def build(source: Path, work: Path, name: str, epoch: int) -> Image:
    """Build the image ``name`` in the folder ``work``, from sources with libraries in their folder ``libraries``.

    ``epoch`` is the time of all files in Unix seconds.
    """
    base, folder, listed = work / "base", work / "image", work / "debian.txt"
    base.mkdir()
    _debian(base / "base.tar", listed, epoch)
    own = {"root": "storage", "runroot": "run", "tmpdir": "libpod", "network-config-dir": "networks"}
    storage = ("podman", *(f"--{option}={work / place}" for option, place in own.items()))  # of nobody else's
    build = (*storage, "build", "--isolation", "chroot", "--format", "oci", "--timestamp", str(epoch))
    try:
        _run(*build, "--tag", BASE, "--file", "-", base, told=DOCKERFILE_OF_BASE)
        digest = _run(*storage, "image", "inspect", "--format", "{{.Digest}}", BASE).strip()
        given = {
            "BASE": f"{BASE}@{digest}",
            "SLIM": "yes",
            "SOURCE_DATE_EPOCH": str(epoch),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": "/source/libraries",
        }
        arguments = [part for key, value in given.items() for part in ("--build-arg", f"{key}={value}")]
        marks = ("--annotation", f"org.opencontainers.image.base.digest={digest}")
        _run(*build, *arguments, *marks, "--network", "host", "--tag", name, source)
        megabytes = int(_run(*storage, "image", "inspect", "--format", "{{.Size}}", name)) // 10**6
        if megabytes > MEGABYTES_MAX:
            sys.exit(f"the image takes {megabytes} MB, which is more than {MEGABYTES_MAX}")
        _run(*storage, "push", "--quiet", name, f"oci:{folder}:{name}")
    finally:
        _run(*storage, "system", "reset", "--force")
    return Image(folder, f"{digest}\n{listed.read_text(encoding='utf-8')}", megabytes)


def _debian(to: Path, listed: Path, epoch: int) -> None:
    out = [f"--dpkgopt=path-exclude=/usr/share/{place}" for place in LEFT_OUT]
    kept = "--dpkgopt=path-include=/usr/share/doc/*/copyright"
    hooks = [f"--customize-hook={STRIPPED}", f"--customize-hook={LISTED}{listed}"]
    merged = "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr"
    told = ("--quiet", "--variant=essential", "--mode=root", merged, f"--include={','.join(PACKAGES)}")
    _run("mmdebstrap", *told, *out, kept, *hooks, SUITE, to, SOURCE_DATE_EPOCH=str(epoch))


def _run(*command: str | Path, told: str | None = None, **variables: str) -> str:
    done = subprocess.run(  # noqa: S603 - ours
        command, input=told, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **variables}
    )
    return done.stdout
