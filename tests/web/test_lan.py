"""``bridge up --lan``: HTTPS by an authority of its own, which can sign nothing but this machine."""

from __future__ import annotations

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import verification

from bridge.auth import access
from bridge.auth.key_storage import key_storage_of
from bridge.auth.vault import rotate
from bridge.web import lan
from bridge.web.lan import LEAF_LASTS, Authority, Place
from tests.commands import bridge as command
from tests.web.served import open_at

PASSWORD = "correct horse"
HOME = Place(names=("rhythm.internal", "rhythm"), addresses=("127.0.0.1",))
OTHERS = ("bank.example", "internal", "rhythm.internal.example", "10.9.9.9", "::1")


def of(*names: str) -> Place:
    addresses = tuple(one for one in names if re.fullmatch(r"[\d.:]+", one))
    return Place(names=tuple(one for one in names if one not in addresses), addresses=addresses)


@contextmanager
def answering(context: ssl.SSLContext) -> Iterator[int]:
    """A server that shakes hands and says no more."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(30)

        def answer() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    try:
                        context.wrap_socket(connection, server_side=True).close()
                    except OSError:
                        continue

        threading.Thread(target=answer, daemon=True).start()
        yield listening.getsockname()[1]


def met(port: int, name: str, trusted: Authority) -> bytes:
    """Shake hands as a device that trusts nothing but the authority, and return the page's certificate in DER."""
    context = ssl.create_default_context(cadata=trusted.root.public_bytes(Encoding.DER))
    plain = socket.create_connection(("127.0.0.1", port), timeout=30)
    with plain, context.wrap_socket(plain, server_hostname=name) as tls:
        return tls.getpeercert(binary_form=True) or b""


@pytest.fixture(scope="module")
def signer() -> Authority:
    return lan.new_authority(HOME, now=datetime.now(UTC))


def test_devices_take_the_machine_s_name_and_address(signer: Authority) -> None:
    with answering(lan.context_of(signer)) as port:
        for name in (*HOME.names, *HOME.addresses):
            assert met(port, name, signer)
        for name in OTHERS:
            with pytest.raises(ssl.SSLCertVerificationError, match="mismatch"):
                met(port, name, signer)


def test_devices_refuse_what_the_authority_s_key_signs_for_anybody_else(signer: Authority, tmp_path: Path) -> None:
    """The fault is planted: the key itself is used past everything that our code would do with it."""
    for name in OTHERS:
        stolen = replace(signer, place=replace(of(name), names=(*of(name).names, "rhythm.internal")))
        with answering(lan.context_of(stolen)) as port:
            with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
                met(port, name, signer)
            leaf = stolen.issue(now=datetime.now(UTC), password=b"password")
        certificates = x509.load_pem_x509_certificates(leaf)
        store = verification.Store([signer.root])
        subject = x509.IPAddress if of(name).addresses else x509.DNSName
        value = ip_address(name) if of(name).addresses else name
        verifier = verification.PolicyBuilder().store(store).build_server_verifier(subject(value))  # type: ignore[arg-type]
        with pytest.raises(verification.VerificationError):
            verifier.verify(certificates[0], certificates[1:])
    for one in (signer.root, signer.signer):
        assert one.extensions.get_extension_for_class(x509.NameConstraints).critical
    assert signer.signer.public_key() == signer.key.public_key() != signer.root.public_key()


def test_an_authority_of_a_machine_without_an_address_signs_no_address() -> None:
    signer = lan.new_authority(of("rhythm.internal"), now=datetime.now(UTC))
    stolen = lan.context_of(replace(signer, place=HOME))
    with answering(stolen) as port, pytest.raises(ssl.SSLCertVerificationError, match="subtree"):
        met(port, "127.0.0.1", signer)
    with answering(lan.context_of(signer)) as port:
        assert met(port, "rhythm.internal", signer)


def test_the_certificate_is_short_lived_and_renewed_while_the_page_runs(signer: Authority) -> None:
    now = datetime.now(UTC)
    clock = [now - LEAF_LASTS / 2 - timedelta(minutes=1)]
    with answering(lan.context_of(signer, clock=lambda: clock[0])) as port:
        seen = [x509.load_der_x509_certificate(met(port, "rhythm", signer)) for _ in range(2)]
        assert seen[0] == seen[1]
        assert seen[0].not_valid_after_utc - seen[0].not_valid_before_utc <= timedelta(days=31)
        clock[0] = now
        renewed = [x509.load_der_x509_certificate(met(port, "rhythm", signer)) for _ in range(2)][1]
    assert renewed.not_valid_after_utc > seen[0].not_valid_after_utc
    assert renewed.public_key() != seen[0].public_key()


def test_it_is_kept_sealed_and_made_anew_only_for_another_machine_or_if_wanted(tmp_path: Path) -> None:
    bridge, now = open_at(tmp_path), datetime.now(UTC)
    store, vault = bridge.store, bridge.vault

    def kept(place: Place = HOME, *, anew: bool = False) -> str:
        return lan.kept_authority(store, vault, place, anew=anew, now=now).fingerprint

    first = kept()
    sealed = store.connections.client(lan.KEPT_NAME)
    assert sealed is not None
    assert b"PRIVATE" not in sealed
    assert {kept(), kept(Place(names=HOME.names, addresses=("10.0.0.7",)))} == {first}
    rotate(store, key_storage_of(None, tmp_path))
    assert kept() == first
    assert len({first, second := kept(anew=True), third := kept(of("other.internal"))}) == 3
    assert second != third == kept(of("other.internal"))
    (tmp_path / "key").unlink()
    assert kept(of("other.internal")) != third
    store.close()


def test_the_command_demands_logins_and_names_the_machine(tmp_path: Path) -> None:
    refused = command("up", "--lan", "--name", "rhythm.internal", "--port", "0", home=tmp_path)
    assert (refused.returncode, "bridge user add NAME" in refused.stderr) == (2, True)
    assert command("up", "--lan", "--host", "0.0.0.0", home=tmp_path).returncode == 2  # noqa: S104 - it is refused
    assert command("up", "--new-authority", home=tmp_path).returncode == 2
    with running(tmp_path) as (printed, page, certificate):
        assert "0.0.0.0" not in printed  # noqa: S104 - it must not be there
        assert all(f"  {one}" in printed for one in ("iPhone, iPad:", "Android:", "Windows:", "macOS:"))
        assert printed.count("█") > 200
        got = requests.get(certificate, timeout=30)
        assert got.headers["Content-Type"] == "application/x-x509-ca-cert"
        for path in ("/", "/login", "/authority.crt/", "/authority.crt?x=1"):
            other = requests.get(certificate.removesuffix("/authority.crt") + path, timeout=30)
            assert (other.status_code, other.content) == (404, b"")
        root = x509.load_der_x509_certificate(got.content)
        assert root.fingerprint(root.signature_hash_algorithm).hex(" ").upper() in printed  # type: ignore[arg-type]
        context = ssl.create_default_context(cadata=got.content)
        plain = socket.create_connection(("127.0.0.1", page), timeout=30)
        with plain, context.wrap_socket(plain, server_hostname="rhythm.internal") as tls:
            tls.sendall(f"GET / HTTP/1.1\r\nHost: rhythm.internal:{page}\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: tls.recv(65536), b"")).decode().lower()
        assert " 303 " in answer.splitlines()[0]
        assert "location: /login" in answer
        assert "; secure" in answer


@contextmanager
def running(folder: Path, name: str = "rhythm.internal") -> Iterator[tuple[str, int, str]]:
    """``bridge up --lan`` for ana: what it printed, the page's port, and the certificate's address on this machine."""
    bridge = open_at(folder)
    ana = bridge.store.people.add_user("ana", "Europe/Berlin", now=datetime.now(UTC))
    access.set_password(bridge.store, ana, PASSWORD, now=datetime.now(UTC))
    bridge.store.close()
    started = [sys.executable, "-m", "bridge", "up", "--lan", "--name", name, "--port", "0"]
    environment = os.environ | {"BRIDGE_HOME": str(folder), "PYTHONIOENCODING": "utf-8"}
    process = subprocess.Popen(started, env=environment, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    assert process.stderr is not None
    try:
        lines: list[str] = []
        while "Always Trust" not in "".join(lines[-1:]):
            lines.append(process.stderr.readline())
            assert lines[-1], "".join(lines)
        printed = "".join(lines)
        plain = re.search(r"certificate: http://\S+:(\d+)/authority.crt", printed)
        page = re.search(rf"page: https://{re.escape(name)}:(\d+)/", printed)
        assert plain, printed
        assert page, printed
        reading = threading.Thread(target=process.stderr.read, daemon=True)
        reading.start()
        yield printed, int(page[1]), f"http://127.0.0.1:{plain[1]}/authority.crt"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        reading.join(30)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
