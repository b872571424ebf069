"""Make the files of a release in ``build/release`` from the newest commit.

``make release`` runs this. The same commit always gives the same bytes, because the files do not say when, where and by
whom they were made. Uncommitted changes are left out.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageMetadata, distribution, distributions
from pathlib import Path
from typing import IO

from lab import image

ROOT = Path(__file__).parents[1]
RELEASE = ROOT / "build" / "release"
LOCKS = ("locks/build.txt", "locks/server.txt", "constraints.txt")
SUMS, BILL, LICENCES, READ_FIRST = "SHA256SUMS", "rhythm-bridge.cdx.json", "LICENCES.txt", "VERIFY.md"
SITE, IMAGE, DEBIAN = "rhythm-bridge-site.tar.gz", "rhythm-bridge-image.tar", "debian.txt"
RULE = "=" * 100
VERIFY = """\
# rhythm-bridge {version}

Made from commit {commit}.

| file | holds |
|---|---|
| `rhythm_bridge-*.whl`, `rhythm_bridge-*.tar.gz` | the program, and its sources |
| `rhythm_lab-*.whl`, `rhythm_lab-*.tar.gz` | the laboratory, which no user needs, and its sources |
| `build.txt`, `server.txt` | the libraries, by their hashes |
| `constraints.txt` | the versions of the libraries of every extra |
| `{bill}` | what an installation consists of (CycloneDX) |
| `{licences}` | the licences of all of that, and of the theme of the site |
| `{site}` | the documents as a site |
| `{image}` | the image for {machine} with Debian, Python and the program, an OCI archive; {megabytes} MB unpacked |
| `{debian}` | the packages of Debian in it, whose licences lie in `/usr/share/doc` there, and the digest of that base |
| `{sums}` | SHA-256 of every other file |

Check the files:

    sha256sum --check {sums}

Make them again, and compare. The same commit gives the same bytes, on the same kind of machine with the same Python,
as long as Debian has the versions of `{debian}`.

    git clone ADDRESS rhythm-bridge && cd rhythm-bridge && git checkout {commit}
    make release && diff build/release/{sums} {sums}

Install, with every library checked against its hash:

    python3 -m venv rhythm-bridge && rhythm-bridge/bin/pip install --require-hashes -r build.txt
    rhythm-bridge/bin/pip install --no-compile --no-build-isolation --require-hashes -r server.txt
    rhythm-bridge/bin/pip install --no-compile --no-deps --no-index rhythm_bridge-{version}-py3-none-any.whl
    rhythm-bridge/bin/bridge up

Or run the image, which needs nothing but a folder or volume for its data:

    podman load --input {image}
    podman run --rm --read-only --volume data:/data --publish 127.0.0.1:8080:8080 {name}:{version}
"""


def run(*command: str | Path, content: bytes | None = None, **variables: str) -> bytes:
    """Run a program with ``content`` as its input, and return its output. Raises CalledProcessError if it fails."""
    environment = {**os.environ, **variables}
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, input=content, env=environment)  # noqa: S603
    return done.stdout


def of_git(*arguments: str) -> str:
    return run("git", *arguments).decode().strip()


def export(commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder."""
    folder.mkdir(parents=True)
    run("tar", "x", "-C", folder, content=run("git", "archive", commit))


def packages(source: Path, to: Path, epoch: str) -> None:
    """Build the sdists and wheels of product and laboratory. ``epoch`` is the time of all files in Unix seconds."""
    for part in (source, source / "lab"):
        command = (sys.executable, "-m", "build", "--no-isolation", "--outdir", to, part)
        run(*command, SOURCE_DATE_EPOCH=epoch)


def fetch(source: Path, to: Path) -> None:
    """Download the libraries that the lock files name. Each is checked against its hash."""
    for lock in ("build.txt", "server.txt"):
        options = ("--no-build-isolation", "--require-hashes", "--dest", to, "-r", source / "locks" / lock)
        run(sys.executable, "-m", "pip", "download", "--quiet", *options)


def install(release: Path, libraries: Path, environment: Path) -> Path:
    """Install the release from downloaded libraries into a new environment, and return its site-packages folder."""
    run(sys.executable, "-m", "venv", "--without-pip", environment)
    pip = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        environment / "bin" / "python",
        "install",
        "--no-compile",
        "--quiet",
    )
    offline = ("--no-index", "--find-links", libraries, "--no-build-isolation", "--require-hashes")
    (wheel,) = release.glob("rhythm_bridge-*.whl")
    for lock in ("build.txt", "server.txt"):
        run(*pip, *offline, "-r", release / lock)
    run(*pip, "--no-deps", "--no-index", wheel)
    (site,) = environment.glob("lib/python*/site-packages")
    return site


def site(source: Path, to: Path, epoch: str) -> None:
    """Build the website of the documents and pack it as .tar.gz."""
    run(sys.executable, source / "docs" / "static_site.py", SOURCE_DATE_EPOCH=epoch)
    packed = io.BytesIO()
    pack(source / "build" / "site", "rhythm-bridge-site", packed, int(epoch))
    to.write_bytes(gzip.compress(packed.getvalue(), mtime=0))


def pack(folder: Path, name: str, to: IO[bytes], epoch: int) -> None:
    """Write a folder as a tar archive whose entries tell no owner, and all have the time ``epoch`` (Unix seconds)."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime, entry.mode = epoch, 0o755 if entry.isdir() else 0o644
        return entry

    with tarfile.open(fileobj=to, mode="w") as archive:
        archive.add(folder, name, filter=plain)  # sorted by name


def bill(environment: Path, source: Path, to: Path) -> None:
    """Write the bill of materials (CycloneDX) of an environment."""
    options = ("--pyproject", source / "pyproject.toml", "--output-reproducible", "--output-file", to)
    run(Path(sys.executable).with_name("cyclonedx-py"), "environment", environment, *options)


def licences(packages: Iterable[Distribution]) -> str:
    """Return the licences of packages, first as a list, then their texts."""
    found = sorted(packages, key=lambda one: str(one.name).casefold())
    names = [f"{one.name} {one.version}: {licence_of(one.metadata)}" for one in found]
    texts = [f"{RULE}\n{one.name} {one.version}\n{RULE}\n\n{text}" for one in found for text in _texts(one)]
    return "\n".join(names) + "\n\n\n" + "\n\n".join(texts)


def licence_of(told: PackageMetadata) -> str:
    """Return the licence in a package's metadata, from its expression, its classifiers or a line of text."""
    classifiers = told.get_all("Classifier", [])
    named = told.get_all("License-Expression", []) or [
        classifier for classifier in classifiers if classifier.startswith("License ::")
    ]
    lines = [one.strip().partition("\n")[0] for one in told.get_all("License", [])]
    return ", ".join(one.rpartition(" :: ")[2] for one in named or lines if one) or "not named"


def _texts(one: Distribution) -> Iterator[str]:
    for path in sorted(one.files or [], key=str):
        if ".dist-info" in str(path) and any(word in path.name.upper() for word in ("LICEN", "COPYING", "NOTICE")):
            yield path.read_text(encoding="utf-8").rstrip() + "\n"


def sums(folder: Path) -> str:
    """Return a line in the format of ``sha256sum`` for each file of a folder."""
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def make(release: Path = RELEASE) -> None:
    """Make all files of a release, after deleting the files of an earlier release."""
    commit = of_git("rev-parse", "HEAD")
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or of_git("log", "-1", "--format=%ct")
    shutil.rmtree(release, ignore_errors=True)
    release.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-release-") as name:
        work = Path(name)
        source, libraries = work / "source", work / "source" / "libraries"
        export(commit, source)
        packages(source, release, epoch)
        site(source, release / SITE, epoch)
        for lock in LOCKS:
            shutil.copy(source / lock, release)
        fetch(source, libraries)
        installed = install(release, libraries, work / "environment")
        bill(work / "environment", source, release / BILL)
        shipped = [*distributions(path=[str(installed)]), distribution("mkdocs")]
        (release / LICENCES).write_text(licences(shipped), encoding="utf-8")
        version = next(release.glob("rhythm_bridge-*.whl")).name.split("-")[1]
        made = image.build(source, work, f"{image.NAME}:{version}", int(epoch))
        with (release / IMAGE).open("wb") as file:
            pack(made.folder, ".", file, int(epoch))
    (release / DEBIAN).write_text(made.base, encoding="utf-8")
    told = VERIFY.format(
        version=version, commit=commit, name=image.NAME, machine=sysconfig.get_platform(), megabytes=made.megabytes,
        bill=BILL, licences=LICENCES, sums=SUMS, site=SITE, image=IMAGE, debian=DEBIAN,
    )  # fmt: skip
    (release / READ_FIRST).write_text(told, encoding="utf-8")
    (release / SUMS).write_text(sums(release), encoding="utf-8")


if __name__ == "__main__":
    image.check_tools()
    make()
    print((RELEASE / SUMS).read_text(encoding="utf-8") + f"in {RELEASE.relative_to(ROOT)}; begin with {READ_FIRST}")
