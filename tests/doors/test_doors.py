"""What comes in from outside is bounded, checked and refused with a reason; what is ours stays there."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

import cbor2
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec

from bridge import installation
from bridge.auth import access, passkeys
from bridge.config import load
from bridge.daemon import backups
from bridge.domain.errors import Forged, SetupError
from bridge.ingest import runs
from bridge.store import Store, parts
from bridge.web import render
from tests.web.served import Place, open_at, served

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with served(open_at(tmp_path)) as opened:
        yield opened


EMPTY = {
    "points": '{"data":{"metrics":[{"name":"step_count","units":"count","data":[%s]}]}}',
    "nights": '{"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[%s]}]}}',
    "metrics": '{"data":{"metrics":[%s]}}',
    "workouts": '{"data":{"workouts":[%s]}}',
}


@pytest.mark.parametrize("where", EMPTY)
def test_endless_empty_entries_of_a_small_zip_end_soon(lite: Store, tmp_path: Path, where: str) -> None:
    path = tmp_path / "HealthAutoExport.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("HealthAutoExport.json", EMPTY[where] % ",".join(["{}"] * 3_000_000))
    assert path.stat().st_size < 100_000
    user = lite.people.add_user("ana", "UTC", now=NOW)
    begun = time.process_time()
    (outcome,) = runs.import_path(installation.Bridge(settings=load(), store=lite), user, path, at=NOW).outcomes
    assert outcome.outcome != "ok"
    assert any("100000 entries in a row" in why for _, why in outcome.failed_files)
    assert time.process_time() - begun < 20


def test_half_open_connections_of_five_addresses_leave_the_page_open(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bridge", "web", "--port", "0"]
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen(
                command, env=os.environ | {"BRIDGE_HOME": str(tmp_path)}, stderr=subprocess.PIPE, text=True
            )
        )
        stack.callback(process.kill)
        assert process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stderr.readline())
        assert found is not None
        port = int(found[1])
        for number in range(260):
            held = stack.enter_context(closing(socket.socket()))
            held.bind((f"127.0.0.{2 + number % 5}", 0))
            held.connect(("127.0.0.1", port))
            held.sendall(b"GET / HTTP/1.1\r\nHost: ")
        for _ in range(10):
            begun = time.monotonic()
            assert requests.get(f"http://127.0.0.1:{port}/health", timeout=10).status_code == 200
            assert time.monotonic() - begun < 5  # far below the 15 seconds that headers may take


def test_a_signed_webhook_nested_too_deep_is_refused(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_WHOOP_CLIENT_ID", "client")
    monkeypatch.setenv("BRIDGE_WHOOP_CLIENT_SECRET", "secret")
    body, stamp = b"[" * 60_000, str(int(time.time() * 1000))
    signed = base64.b64encode(hmac.new(b"secret", stamp.encode() + body, hashlib.sha256).digest()).decode()
    headers = {"x-whoop-signature": signed, "x-whoop-signature-timestamp": stamp}
    answer = requests.post(f"{place.url}/hooks/whoop", body, headers=headers, timeout=60)
    assert (answer.status_code, answer.json()) == (400, {"error": "the body is nested too deep"})


def _answer(challenge: passkeys.Challenge, x: bytes, y: bytes) -> str:
    """What a browser says of a new key (https://www.w3.org/TR/webauthn-2/#sctn-attestation), without attestation."""
    credential = secrets.token_bytes(32)
    key = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})
    about = hashlib.sha256(challenge.host.encode()).digest() + b"\x45" + bytes(4) + bytes(16)
    about += len(credential).to_bytes(2, "big") + credential + key
    said = {"type": "webauthn.create", "challenge": _text(challenge.value), "origin": challenge.origins[0]}
    attested = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": about})
    response = {"clientDataJSON": _text(json.dumps(said).encode()), "attestationObject": _text(attested)}
    return json.dumps({"id": _text(credential), "rawId": _text(credential), "type": "public-key", "response": response})


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def test_a_passkey_needs_a_key_on_its_curve(lite: Store) -> None:
    ana = lite.people.add_user("ana", "UTC", now=NOW)
    numbers = ec.generate_private_key(ec.SECP256R1()).public_key().public_numbers()
    x, y = (number.to_bytes(32, "big") for number in (numbers.x, numbers.y))
    for wrong in ((x, x), (bytes(32), bytes(32)), (x, y[:-1] + bytes([y[-1] ^ 1]))):
        challenge, _ = passkeys.begin_registration(lite, ana, "localhost", ["http://localhost:8080"])
        with pytest.raises(Forged):
            passkeys.registered(challenge, _answer(challenge, *wrong), "key", now=NOW)
    assert lite.credentials.passkeys(ana.id) == []
    challenge, _ = passkeys.begin_registration(lite, ana, "localhost", ["http://localhost:8080"])
    passkey = passkeys.registered(challenge, _answer(challenge, x, y), "key", now=NOW)
    lite.credentials.add_passkey(ana.id, passkey)
    assert len(lite.credentials.passkeys(ana.id)) == 1


def test_a_token_of_a_program_makes_no_token_for_pushes(place: Place) -> None:
    ana = place.bridge.store.people.add_user("ana", "UTC", now=NOW)
    _, token = access.new_token(place.bridge.store, ana, "program", now=NOW)
    headers = {"Authorization": f"Bearer {token}"}
    for path in ("/connections/health_auto_export/push", "/connections/google_calendar/keys"):
        answer = requests.post(f"{place.url}{path}", {"client_id": "x"}, headers=headers, timeout=60)
        assert answer.status_code == 403
    assert place.bridge.store.connections.of_user(ana.id) == []


@pytest.mark.parametrize("name", ["..", ".", "-x", "_", ".ana", "аna", "anα", "a\ufe0f", "\u3164"])
def test_a_name_that_misleads_is_refused(store: Store, name: str) -> None:
    with pytest.raises(SetupError, match="a name has 1 to 64 letters, digits"):
        store.people.add_user(name, "UTC", now=NOW)


@pytest.mark.parametrize("twin", ["ANA", "Ana", "ａｎａ", "аnа"])
def test_a_twin_of_a_name_is_refused(store: Store, twin: str) -> None:
    store.people.add_user("ana", "UTC", now=NOW)
    with pytest.raises(SetupError):
        store.people.add_user(twin, "UTC", now=NOW)
    assert [user.name for user in store.people.users()] == ["ana"]


def test_names_of_every_script_are_taken(store: Store) -> None:
    store.people.add_user("осе", "UTC", now=NOW)  # Cyrillic letters alone
    with pytest.raises(SetupError, match="oce looks like the name of the user осе; choose another name"):
        store.people.add_user("oce", "UTC", now=NOW)
    for name in ("Зоя", "हिन्दी", "山田ken", "Ελένη", "محمد", "o-brien", "ana.2", "9"):
        assert store.people.add_user(name, "UTC", now=NOW).name == name


KILLED = """
import os, signal
from pathlib import Path
from bridge.store import parts
with parts.part_of(Path(os.environ["SAVED"]) / "mine.backup") as part:
    part.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_killed_backups_left_behind_goes_with_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = tmp_path / "saved"
    saved.mkdir()
    monkeypatch.setenv("BRIDGE_BACKUPS", str(saved))
    subprocess.run([sys.executable, "-c", KILLED], env=os.environ | {"SAVED": str(saved)}, check=False)
    (killed,) = saved.iterdir()
    elsewhere = [saved / f".{name}.age.0123abcd.7{parts.SUFFIX}" for name in ("old", "young")]
    foreign = saved / "film.mkv.part"
    for path in (*elsewhere, foreign):
        path.write_bytes(b"half")
    for path in (elsewhere[0], foreign):
        os.utime(path, (time.time() - 90_000,) * 2)
    with installation.open_bridge() as bridge:
        made = backups.daily(bridge, now=NOW)
    assert not killed.exists()
    assert {path.name for path in saved.iterdir()} == {made, elsewhere[1].name, foreign.name}


def test_the_page_keeps_its_files_while_the_package_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "web"
    shutil.copytree(render.WEB_FOLDER, folder)
    monkeypatch.setattr(render, "WEB_FOLDER", folder)
    monkeypatch.setattr(render, "STATIC_FOLDER", folder / "static")
    for kept in (render.static_file, render.static_url, render.templates):
        kept.cache_clear()
    try:
        with served(open_at(tmp_path)) as place:
            shutil.rmtree(folder)
            shown = place.visitor().get("/welcome").text
            links = re.findall(r'(?:href|src)="(/static/[^"]+)"', shown)
            assert any("style.css" in link for link in links)
            for link in links:
                assert place.visitor().get(link).status_code == 200
            assert place.visitor().get("/static/style.css").headers["content-type"].startswith("text/css")
            assert place.visitor().get("/static/missing.css").status_code == 404
            assert place.visitor().get("/sw.js").status_code == 200
    finally:
        for kept in (render.static_file, render.static_url, render.templates):
            kept.cache_clear()
