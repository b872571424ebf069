"""Real CalDAV servers in processes of their own, and a plain client that is no part of the bridge."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest
import requests

from tests.caldav.sealed import Sealed

LOGIN, PASSWORD = "ana", "app-password-of-ana"
START_SECONDS = 30.0
LOG = "server.log"
SABRE = Path("/usr/share/php/Sabre/autoload.php")


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server at ``url``. ``home`` is the path below which the login keeps its calendars.

    ``log`` grows with every request.
    """

    url: str
    home: str
    log: Path


class Client:
    """Somebody else's program: it puts and deletes texts by HTTP, and knows nothing of the bridge."""

    def __init__(self, running: Running, login: str = LOGIN, password: str = PASSWORD, *, verify: str = "") -> None:
        self.url, self.home = running.url, running.home
        self._session = requests.Session()
        self._session.auth = (login, password)
        self._session.verify, self._session.trust_env = verify or True, not verify

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> requests.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._session.request(method, self.url + path, data=body.encode(), headers=named, timeout=30)

    def make(self, name: str, title: str | None = None) -> str:
        """Make a calendar and return its path."""
        path = f"{self.home}{name}/"
        body = (
            '<c:mkcalendar xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set><d:prop><d:displayname>'
            f"{title or name}</d:displayname></d:prop></d:set></c:mkcalendar>"
        )
        answer = self.ask("MKCALENDAR", path, body)
        assert answer.status_code == 201, (answer.status_code, answer.text)
        return path

    def put(self, path: str, *lines: str) -> None:
        """Put an entry of those lines between BEGIN:VCALENDAR and END:VCALENDAR."""
        body = "\r\n".join(
            ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//somebody else//EN", *lines, "END:VCALENDAR", ""]
        )
        answer = self.ask("PUT", path, body, Content_Type="text/calendar; charset=utf-8")
        assert answer.status_code in (200, 201, 204), (answer.status_code, answer.text, body)

    def delete(self, path: str) -> None:
        answer = self.ask("DELETE", path)
        assert answer.status_code in (200, 204), answer.status_code

    def move(self, path: str, to: str) -> None:
        answer = self.ask("MOVE", path, Destination=self.url + to, Overwrite="T")
        assert answer.status_code in (201, 204), (answer.status_code, answer.text)


@contextmanager
def radicale(folder: Path, sealed: Sealed | None = None, port: int = 0) -> Iterator[Running]:
    """Yield a Radicale of Debian's package, with its entries in a folder, by TLS if ``sealed``. Skips the test without
    it.
    """
    program = shutil.which("radicale")
    if program is None:
        pytest.skip("Radicale is not here; install Debian's package radicale")
    users = folder / "users"
    users.write_text(f"{LOGIN}:{PASSWORD}\n")
    port = port or _free_port()
    settings = {
        "server-hosts": f"127.0.0.1:{port}",
        "auth-type": "htpasswd",
        "auth-htpasswd-filename": str(users),
        "auth-htpasswd-encryption": "plain",
        "auth-delay": "0",
        "storage-filesystem-folder": str(folder / "entries"),
        "logging-level": "info",
    }
    if sealed is not None:
        settings |= {"server-certificate": str(sealed.certificate), "server-key": str(sealed.key)}
    arguments = [f"--{name}={value}" for name, value in settings.items()] + (["--server-ssl"] if sealed else [])
    with _process([program, "--config", "", *arguments], port, folder):
        url = f"https://localhost:{port}" if sealed else f"http://127.0.0.1:{port}"
        yield Running(url=url, home=f"/{LOGIN}/", log=folder / LOG)


@contextmanager
def xandikos(folder: Path) -> Iterator[Running]:
    """Yield a Xandikos, which takes any login. Skips the test where it is not on the path (``make test-caldav``)."""
    program = shutil.which("xandikos")
    if program is None:
        pytest.skip("Xandikos is not here; it is tested by: make test-caldav")
    port = _free_port()
    command = [program, "serve", "--defaults", "-d", str(folder / "entries"), "-l", "127.0.0.1", "-p", str(port)]
    with _process(command, port, folder):
        yield Running(url=f"http://127.0.0.1:{port}", home="/user/calendars/", log=folder / LOG)


@contextmanager
def sabredav(folder: Path) -> Iterator[Running]:
    """Yield a SabreDAV of Debian's package, of which Baikal and Nextcloud are made. Skips the test without it."""
    program = shutil.which("php")
    if program is None or not SABRE.exists():
        pytest.skip("SabreDAV is not here; install Debian's packages php-sabre-dav, php-sqlite3, php-xml and php-cli")
    port = _free_port()
    named = {"SABRE_DATABASE": str(folder / "sabre.db"), "SABRE_PASSWORD": PASSWORD, "PHP_CLI_SERVER_WORKERS": "2"}
    command = [program, "-S", f"127.0.0.1:{port}", str(Path(__file__).with_name("sabredav.php"))]
    with _process(command, port, folder, named):
        yield Running(url=f"http://127.0.0.1:{port}", home=f"/calendars/{LOGIN}/", log=folder / LOG)


@contextmanager
def _process(
    command: list[str], port: int, folder: Path, more: Mapping[str, str] = MappingProxyType({})
) -> Iterator[None]:
    """Run a server until the block ends, once it answers."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {**more}
    with (folder / LOG).open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=known)
    try:
        until = time.monotonic() + START_SECONDS
        while not _answers(port):
            assert process.poll() is None, (folder / LOG).read_text()[-2000:]
            assert time.monotonic() < until, "the server did not begin to answer"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(timeout=20)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
