"""Tell what to type to add an extra to this installation, or to renew it, from the place that it came from.

No text names a registry, because strangers could register the packages' names there.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bridge.domain.errors import SetupError

PRODUCT, LABORATORY = "rhythm-bridge", "rhythm-lab"
IMAGE_EXTRAS = Path(sys.prefix, "image-extras")  # written by the Containerfile: the extras of the image
EXTRAS = {  # of the product: the module that each brings, and what needs it
    "keyring": ("keyring", "a key in this machine's keyring"),
    "mcp": ("mcp", "the server for AI assistants"),
    "mqtt": ("paho", "the broker of BRIDGE_MQTT_URL"),
    "parquet": ("pyarrow", "an export in Parquet"),
    "plot": ("matplotlib", "a picture of curves"),
    "postgres": ("procrastinate", "a store in PostgreSQL with its workers"),
    "s3": ("obstore", "a backup in a bucket"),
}


def lacking(extra: str) -> SetupError:
    """Return the error for a function that needs a package extra that is not installed."""
    return SetupError(f"{EXTRAS[extra][1]} needs the extra {extra}, which is not installed: {adding(extra)}")


def missing() -> Iterator[str]:
    """Yield the product's extras whose module is not installed."""
    yield from (extra for extra, (module, _) in EXTRAS.items() if find_spec(module) is None)


def adding(extra: str, package: str = PRODUCT) -> str:
    """Return the command that installs an extra into this installation, from where it came from."""
    if IMAGE_EXTRAS.is_file():
        extras = IMAGE_EXTRAS.read_text(encoding="utf-8").strip()
        return f"docker compose build --build-arg EXTRAS={extras},{extra}"
    source = _source(package)
    if source is None:
        folder = "./lab" if package == LABORATORY else "."
        return f"in the folder of a checkout or an unpacked release: {_install(f'{folder}[{extra}]')}"
    *options, place = source
    return _install(*options, f"{package}[{extra}] @ {place}" if "://" in place else f"{place}[{extra}]")


def renewing() -> str:
    """Return the command that installs a newer release over this installation."""
    command = "docker compose build" if IMAGE_EXTRAS.is_file() else _install("--upgrade", ".")
    return f"in the folder of the newer release: {command}"


def _install(*words: str) -> str:
    python = sys.executable
    pip = [python, "-m", "pip", "install"] if find_spec("pip") else ["uv", "pip", "install", "--python", python]
    here = Path(__file__)
    lists = (here.with_name("constraints.txt"), here.parents[1] / "constraints.txt")  # in a wheel, and in a checkout
    tested = next((["--constraint", str(path)] for path in lists if path.is_file()), [])
    if os.name == "nt":
        from subprocess import list2cmdline

        return list2cmdline([*pip, *words, *tested])
    return shlex.join([*pip, *words, *tested])


def _source(package: str) -> list[str] | None:
    """Return the place a package was installed from (path or address), after ``--editable`` if it was, or None."""
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.request import url2pathname  # which loads TLS and HTTP

    try:
        told: dict[str, Any] = json.loads(distribution(package).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    address, vcs = told.get("url", ""), told.get("vcs_info")
    if not address.startswith("file:"):
        return [_remote(address, vcs, told.get("subdirectory"))] if address else None
    path = Path(url2pathname(urlsplit(address).path))
    if vcs or not path.exists():
        return None
    return [*(["--editable"] if told.get("dir_info", {}).get("editable") else []), str(path)]


def _remote(address: str, vcs: dict[str, str] | None, folder: str | None) -> str:
    if vcs is None:
        return address
    return f"{vcs['vcs']}+{address}@{vcs['commit_id']}" + (f"#subdirectory={folder}" if folder else "")
