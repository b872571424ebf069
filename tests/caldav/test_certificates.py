"""A home server with a certificate of its own: what it is, and trusting it for its address alone. By real TLS."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import requests

from bridge import http
from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.http.certificates import Certificate, Trust, trust_of_file
from tests.caldav.sealed import Sealed, sealed
from tests.caldav.servers import LOGIN, PASSWORD, Client, Running, radicale
from tests.caldav.test_consent import MEETING, Say, connect, say  # noqa: F401 - a fixture
from tests.ics.components import calendar
from tests.web.conftest import ana, place, visitor  # noqa: F401 - fixtures
from tests.web.served import Place, Visitor

UNSIGNED = "nobody whom this machine knows has signed it"


@pytest.fixture
def own(tmp_path: Path) -> Sealed:
    return sealed(tmp_path / "tls")


@pytest.fixture
def running(tmp_path: Path, own: Sealed) -> Iterator[Running]:
    with radicale(tmp_path, own) as found:
        yield found


@contextmanager
def files(folder: Path, of: Sealed) -> Iterator[str]:
    """A plain server of files by TLS, as the address of one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(of.certificate, of.key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(folder)))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"https://localhost:{server.server_port}/calendar.ics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_an_unknown_certificate_is_shown_and_not_trusted(say: Say, running: Running, own: Sealed) -> None:  # noqa: F811
    told = connect(say, running.url)
    assert told.returncode == 3
    for part in ("the certificate of localhost is not trusted", UNSIGNED, own.fingerprint, "--ca FILE", "localhost"):
        assert part in told.stderr
    assert "BRIDGE_ALLOW_HOSTS" not in told.stderr
    assert say("status", "--user", "ana", "--json").stdout.strip() in ("[]", "")
    assert "PROPFIND" not in running.log.read_text()  # no password went out


@pytest.mark.parametrize("typed", [None, "", "yes", "AB:CD:EF:01:23", "first six"])
def test_another_fingerprint_is_not_taken(own: Sealed, typed: str | None) -> None:
    shown = Certificate(host="localhost", pem=own.certificate.read_text(), problem=UNSIGNED)
    assert not shown.is_named_by(own.fingerprint[:8] if typed == "first six" else typed)
    assert shown.is_named_by(own.fingerprint.replace(":", " ").lower())


@pytest.mark.parametrize("digits", [11, 95])
def test_a_fingerprint_is_trusted(say: Say, running: Running, own: Sealed, digits: int) -> None:  # noqa: F811
    assert connect(say, running.url, typed=f"{PASSWORD}\n{own.fingerprint[:digits].lower()}").returncode == 0
    assert say("sync", "--user", "ana").returncode == 0


@pytest.mark.parametrize("authority", [False, True])
def test_a_file_is_trusted(say: Say, tmp_path: Path, authority: bool) -> None:  # noqa: F811
    of = sealed(tmp_path / "tls", authority=authority)
    with radicale(tmp_path, of) as running:
        more = ("--url", running.url, "--name", LOGIN, "--ca", str(of.ca))
        assert say("connect", "caldav", "--user", "ana", *more, typed=PASSWORD).returncode == 0
        assert say("sync", "--user", "ana").returncode == 0


@pytest.mark.parametrize("content", [None, b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\nx\n"])
def test_a_file_without_a_certificate_is_a_mistake(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "wrong.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SetupError, match="holds no certificate that can be read"):
        trust_of_file("https://nas.lan", str(file))


@pytest.mark.parametrize(
    ("names", "days", "problem"), [(("nas.lan",), 30, "for nas.lan"), (("localhost",), -1, UNSIGNED)]
)
def test_what_is_wrong_with_a_certificate_is_told(
    say: Say,  # noqa: F811
    tmp_path: Path,
    names: tuple[str, ...],
    days: int,
    problem: str,
) -> None:
    with radicale(tmp_path, sealed(tmp_path / "tls", names=names, days=days)) as running:
        assert problem in connect(say, running.url).stderr


@pytest.mark.parametrize("names", [("nas.lan",), ()])
def test_a_trusted_certificate_need_not_name_the_host(say: Say, tmp_path: Path, names: tuple[str, ...]) -> None:  # noqa: F811
    of = sealed(tmp_path / "tls", names=names)
    with radicale(tmp_path, of) as running:
        assert connect(say, running.url, typed=f"{PASSWORD}\n{of.fingerprint}").returncode == 0
        more = ("--url", running.url, "--name", LOGIN, "--ca", str(of.ca))
        told = say("connect", "caldav", "--user", "ana", *more, typed=PASSWORD)
        assert "it is made out for another name" in told.stderr  # a file is checked with the name


def test_a_certificate_that_changes_stops_the_source_and_is_shown(say: Say, tmp_path: Path, own: Sealed) -> None:  # noqa: F811
    with radicale(tmp_path, own) as running:
        assert connect(say, running.url, typed=f"{PASSWORD}\n{own.fingerprint}").returncode == 0
        port = running.url.rpartition(":")[2]
    other = sealed(tmp_path / "other")
    with radicale(tmp_path, other, port=int(port)):
        told = say("sync", "--user", "ana")
    assert told.returncode != 0
    assert other.fingerprint in told.stdout + told.stderr
    assert own.fingerprint not in told.stdout + told.stderr


def test_trust_is_for_one_address_alone(running: Running, own: Sealed) -> None:
    pem = own.certificate.read_text()
    elsewhere = http.open_typed_session({"localhost"}, Trust(address="https://localhost:1", pem=pem))
    with pytest.raises(requests.exceptions.SSLError):
        elsewhere.get(running.url, timeout=5)
    there = http.open_typed_session({"localhost"}, Trust(address=running.url, pem=pem, fingerprint=own.fingerprint))
    assert there.get(running.url, timeout=5).status_code < 500
    other = ("B" if own.fingerprint[0] == "A" else "A") + own.fingerprint[1:]
    wrong = Trust(address=running.url, pem=pem, fingerprint=other)
    with pytest.raises(requests.exceptions.SSLError):
        http.open_typed_session({"localhost"}, wrong).get(running.url, timeout=5)
    with pytest.raises(requests.exceptions.SSLError):
        http.open_typed_session({"localhost"}).get(running.url, timeout=5)


def test_the_page_shows_the_fingerprint_and_takes_it(
    place: Place,  # noqa: F811
    ana: User,  # noqa: F811
    visitor: Visitor,  # noqa: F811
    running: Running,
    own: Sealed,
) -> None:
    object.__setattr__(place.bridge.settings, "allow_hosts", frozenset({"localhost"}))
    client = Client(running, verify=str(own.certificate))
    client.put(f"{client.make('home', 'Home')}m.ics", *MEETING)
    visitor.get("/connections")
    form = {"url": running.url, "name": LOGIN, "password": PASSWORD}
    asked = visitor.finished(visitor.change("/connections/caldav/connect", form).text)
    assert own.fingerprint in asked
    assert UNSIGNED in asked
    (job,) = re.findall(r'action="(/jobs/[^"]+)"', asked)
    assert "1 new" in visitor.finished(visitor.change(job, {"answer": own.fingerprint[:11]}).text)


def test_a_calendars_address_is_trusted_alike(say: Say, tmp_path: Path, own: Sealed) -> None:  # noqa: F811
    (tmp_path / "calendar.ics").write_bytes(calendar(*MEETING))
    with files(tmp_path, own) as address:
        to = ("connect", "ics", "--user", "ana", "--url", address)
        assert own.fingerprint in say(*to).stderr
        for more in ({"typed": own.fingerprint[:11]}, {"more": ("--ca", str(own.ca))}):
            assert say(*to, *more.get("more", ()), typed=str(more.get("typed", ""))).returncode == 0
            assert say("sync", "--user", "ana").returncode == 0
