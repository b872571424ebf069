"""Follow docs/start.md from a new environment to the first plan, and count its steps, minutes and megabytes.

``python -m lab.first_plan`` runs the commands of the document unchanged, in a copy of the checkout. It opens the page,
clicks what the document names, and uploads a made-up person's files. Packages are downloaded before, and the time for
this does not count. The exit status is 1 above the limits.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.daemon.housekeeping import megabytes

if TYPE_CHECKING:
    import requests

ROOT = Path(__file__).parents[1]
DOCUMENT = "docs/start.md"
STEPS_MAX, MINUTES_MAX, INSTALLED_MAX_MB = 7, 5.0, 540.0
FETCH_SECONDS, COMMAND_SECONDS, START_SECONDS, JOB_SECONDS = 1800.0, 600.0, 120.0, 120.0
PERSON, ZONE, DAYS, THING = "ana", "Europe/Berlin", 75, "iPhone or Apple Watch"
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
PLANNED = re.compile(r'<li class="block is-(\w+)')


class Lost(Exception):
    """The error of a document that does not agree with the program."""


class NotFetched(Exception):
    """The error of packages that cannot be downloaded."""


@dataclass(kw_only=True)
class Walk:
    """The cost of following the document, in steps, seconds, and megabytes of the installation.

    ``fetching`` are the seconds of downloads, not included. ``planned`` are the kinds of the parts of the first plan.
    """

    steps: list[str] = field(default_factory=list)
    seconds: float = 0.0
    fetching: float = 0.0
    megabytes: float = 0.0
    planned: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> list[str]:
        """The texts about figures above their limits."""
        told = {
            f"{len(self.steps)} steps, and {STEPS_MAX} are allowed": len(self.steps) > STEPS_MAX,
            f"{self.seconds / 60:.1f} minutes, and {MINUTES_MAX:g} are allowed": self.seconds > 60 * MINUTES_MAX,
            f"{self.megabytes:.0f} MB, and {INSTALLED_MAX_MB:g} are allowed": self.megabytes > INSTALLED_MAX_MB,
            "the plan is empty": not self.planned,
        }
        return [text for text, is_wrong in told.items() if is_wrong]


def section(text: str, number: int) -> str:
    """Return the section of the document with a number. Raises Lost if it has none."""
    found = re.search(rf"^## {number}\. .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise Lost(f"{DOCUMENT} has no section {number}")
    return found[0]


def commands(text: str) -> list[str]:
    """Return the commands in the console blocks of a text.

    >>> commands("Say:\\n```console\\n$ one\\n$ two\\n```")
    ['one', 'two']
    """
    lines = "".join(CONSOLE.findall(text)).splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def copy_checkout(to: Path) -> None:
    """Copy the files of the checkout that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)


def fetch(checkout: Path, wheels: Path) -> None:
    """Download or build the wheels that an installation needs, in the versions of constraints.txt.

    Raises NotFetched if pip fails.
    """
    words = ("wheel", "--quiet", "--disable-pip-version-check", "--wheel-dir", str(wheels))
    command = [sys.executable, "-m", "pip", *words, "--constraint", "constraints.txt", ".", "hatchling"]
    done = subprocess.run(  # noqa: S603
        command, cwd=checkout, check=False, timeout=FETCH_SECONDS, capture_output=True, text=True
    )
    if done.returncode:
        raise NotFetched(done.stderr.strip().splitlines()[-1])


def environment(home: Path, wheels: Path) -> dict[str, str]:
    """Return environment variables without settings of the program, with which pip uses only packages in ``wheels``."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("BRIDGE_", "PIP_", "PYTHON"))}
    own = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "PIP_CONFIG_FILE": os.devnull}
    return bare | own | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def made_up_files(folder: Path) -> list[Path]:
    """Write an export of a phone and a calendar, as downloaded by a person today, and return their paths."""
    from lab.people.apple import Plan, write_zip
    from lab.people.other_life import choir_account

    today = date.today()  # noqa: DTZ011 - what the person's phone calls today
    plan = Plan(seed=7, home=ZONE, last=today, days=DAYS, hour=0, sparse=True)
    write_zip(plan, folder / "export.zip")
    lines = choir_account(today, DAYS)["text"]
    (folder / "choir.ics").write_text("\r\n".join(lines) + "\r\n", encoding="utf-8")
    return [folder / "export.zip", folder / "choir.ics"]


class Page:
    """A browser that clicks only what both the document and the page name."""

    def __init__(self, url: str, document: str) -> None:
        import requests

        self._session, self._url, self._document, self._text = requests.Session(), url, document, ""
        self._session.headers["Sec-Fetch-Site"] = "same-origin"

    def open(self, path: str) -> str:
        return self._keep(self._session.get(self._url + path, timeout=60))

    def _keep(self, answer: requests.Response) -> str:
        if not answer.ok:
            raise Lost(f"{answer.url} answered {answer.status_code}")
        self._text = unescape(answer.text)
        return self._text

    def named(self, words: str) -> str:
        """Return ``words``. Raises Lost unless the document and the page contain them."""
        for place, text in ((DOCUMENT, " ".join(self._document.split())), ("the page", self._text)):
            if words not in text:
                raise Lost(f"{place} does not say {words!r}")
        return words

    @property
    def token(self) -> str:
        """The token against request forgery in the page. Raises Lost if the page has no form."""
        found = re.search(r'(?:name="csrf" value="|X-CSRF-Token": ?")([0-9a-f]+)', self._text)
        if found is None:
            raise Lost("the page has no form")
        return found[1]

    def link(self, words: str) -> str:
        """Return the address of a link that says ``words``. Raises Lost if the page has none."""
        found = re.search(rf'href="([^"]+)">(?:(?!</a>).)*{re.escape(words)}', self._text, re.DOTALL)
        if found is None:
            raise Lost(f"the page has no link {words!r}")
        return found[1]

    def post(self, path: str, form: Mapping[str, str]) -> str:
        return self._keep(self._session.post(self._url + path, data={"csrf": self.token, **form}, timeout=60))

    def drop(self, file: Path) -> None:
        """Upload a file by the form of the page, and wait until it is imported. Raises Lost if that fails."""
        to = re.search(r'data-to="([^"]+)"', self._text)
        if to is None:
            raise Lost("no file can be dropped here")
        form, headers = self._text, {"X-CSRF-Token": self.token, "HX-Request": "true"}
        with file.open("rb") as body:
            where, name = self._url + to[1], {"name": file.name}
            shown = self._keep(self._session.post(where, data=body, params=name, headers=headers, timeout=300))
        until = time.monotonic() + JOB_SECONDS
        while (job := re.search(r'hx-get="(/jobs/[^"]+)"', shown)) and time.monotonic() < until:
            time.sleep(0.5)
            shown = self.open(job[1])
        if job or 'role="alert"' in shown:
            raise Lost(f"{file.name} was not read: {' '.join(re.sub('<[^>]+>', ' ', shown).split())}")
        self._text = form


@contextmanager
def started(command: Sequence[str], checkout: Path, variables: Mapping[str, str]) -> Iterator[str]:
    """Run ``bridge up`` at a free port, and yield its address once it is healthy. Raises Lost if it does not start."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with subprocess.Popen([*command, "--port", str(port)], cwd=checkout, env=dict(variables)) as process:  # noqa: S603
        try:
            _wait_until_healthy(url := f"http://127.0.0.1:{port}", process)
            yield url
        finally:
            process.terminate()


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    import requests

    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            if requests.get(f"{url}/health", timeout=5).ok:
                return
        except requests.RequestException:
            time.sleep(0.2)
    raise Lost("bridge up did not start")


def follow(folder: Path) -> Walk:
    """Follow the steps of DOCUMENT from an empty folder to the first plan, and return them with their cost."""
    walk, checkout, wheels, home = Walk(), folder / "checkout", folder / "wheels", folder / "home"
    home.mkdir()
    copy_checkout(checkout)
    document = (checkout / DOCUMENT).read_text(encoding="utf-8")
    files = made_up_files(folder)
    begun = time.monotonic()
    fetch(checkout, wheels)
    walk.fetching = time.monotonic() - begun
    begun = time.monotonic()
    *installing, up = commands(section(document, 1))
    variables = environment(home, wheels)
    for command in installing:
        walk.steps.append(f"type: {command}")
        subprocess.run(  # noqa: S603
            command.split(), cwd=checkout, env=variables, check=True, capture_output=True, timeout=COMMAND_SECONDS
        )
    walk.steps.append(f"type: {up}")
    with started(up.split(), checkout, variables) as url:
        _to_first_plan(walk, Page(url, document), files)
        walk.seconds = time.monotonic() - begun
    walk.megabytes = megabytes(checkout / ".venv")
    return walk


def _to_first_plan(walk: Walk, page: Page, files: list[Path]) -> None:
    page.open("/")
    walk.steps.append(f"open the address, type a name and click {page.named('Begin')}")
    page.post("/welcome", {"name": PERSON, "zone": ZONE})
    walk.steps.append(f"{page.named('What do you have?')} Click: {page.named(THING)}")
    page.open(page.link(THING))
    walk.steps.append(f"drop {' and '.join(file.name for file in files)}")
    for file in files:
        page.drop(file)
    page.open("/")
    page.open("/advice")
    walk.planned = PLANNED.findall(page.open("/day"))


def main() -> int:
    """Print each step and the figures, and return the exit code, which is 1 if a figure is above its limit."""
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-first-") as folder:
        walk = follow(Path(folder))
    for number, step in enumerate(walk.steps, 1):
        sys.stdout.write(f"{number}. {step}\n")
    took = str(timedelta(seconds=round(walk.seconds)))
    sys.stdout.write(
        f"first plan with {len(walk.planned)} parts after {took}, besides {walk.fetching:.0f} s of fetching\n"
    )
    sys.stdout.write(f"{walk.megabytes:.0f} MB on disk afterwards\n")
    for line in walk.wrong:
        sys.stdout.write(f"too much: {line}\n")
    return 1 if walk.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
