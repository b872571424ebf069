"""Messages to browsers, read at a push service by the recipient's own key (RFC 8291) and checked by ours (RFC 8292)."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from bridge.advice import answer_links, notify, web_push
from bridge.advice.web_push import Device
from bridge.auth import vault
from bridge.auth.key_storage import InFile
from bridge.auth.vault import Vault
from bridge.domain.errors import SetupError
from bridge.domain.rendering import for_person
from bridge.domain.slots import moment_at
from bridge.recordings.server import Answer, LabServer, Request
from rhythm_env.interface import Answer as Said
from tests.daemon.stage import Stage
from tests.world import KEY

HERE = frozenset({"127.0.0.1"})


def letters(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def unlettered(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


class Browser:
    """A browser with keys of its own, and the push service before it. It keeps what comes, and answers ``status``."""

    def __init__(self) -> None:
        self.private, self.secret = ec.generate_private_key(ec.SECP256R1()), bytes(range(16))
        self.got: list[Request] = []
        self.status = 201

    def application(self, request: Request) -> Answer:
        self.got.append(request)
        return Answer(status=self.status)

    def device(self, url: str) -> Device:
        own = point(self.private.public_key())
        return Device(endpoint=f"{url}/send/1", p256dh=letters(own), auth=letters(self.secret), name="Chromium, Linux")

    def read(self, body: bytes) -> Any:
        """Decrypt a message step by step as RFC 8291, 3.4 and RFC 8188, 2 say."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender = body[21 : 21 + length]
        shared = self.private.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
        info = b"WebPush: info\0" + point(self.private.public_key()) + sender
        ikm = HKDF(hashes.SHA256(), 32, salt=self.secret, info=info).derive(shared)
        key = HKDF(hashes.SHA256(), 16, salt=salt, info=b"Content-Encoding: aes128gcm\0").derive(ikm)
        nonce = HKDF(hashes.SHA256(), 12, salt=salt, info=b"Content-Encoding: nonce\0").derive(ikm)
        record = body[21 + length :]
        assert len(body) <= 4096
        assert len(record) <= size
        plain = AESGCM(key).decrypt(nonce, record, None).rstrip(b"\0")
        assert plain.endswith(b"\2")  # the last record
        return json.loads(plain[:-1])


@pytest.fixture
def browser(stage: Stage) -> Iterator[Browser]:
    """Ana's browser takes her messages."""
    found = Browser()
    with LabServer(found.application) as server:
        stage.add("ana", "Europe/Berlin")
        web_push.public_key(stage.bridge.store, stage.bridge.vault, now=stage.now)
        add(stage, found.device(server.url))
        yield found


def add(stage: Stage, device: Device) -> None:
    store, user = stage.bridge.store, stage.users[0]
    notify.save_devices(store, stage.bridge.vault, user.id, lambda kept: [*kept, device], now=stage.now)


def verify(stage: Stage, request: Request) -> dict[str, Any]:
    """The claims of a request that the bridge's key has signed, which the browser's subscription names, too."""
    token, key = (part.partition("=")[2] for part in request.headers["authorization"].removeprefix("vapid ").split(","))
    assert key == web_push.public_key(stage.bridge.store, stage.bridge.vault, now=stage.now)
    signed, _, signature = token.rpartition(".")
    r, s = (int.from_bytes(part, "big") for part in (unlettered(signature)[:32], unlettered(signature)[32:]))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unlettered(key))
    public.verify(encode_dss_signature(r, s), signed.encode(), ec.ECDSA(hashes.SHA256()))
    with pytest.raises(InvalidSignature):
        public.verify(encode_dss_signature(r, s), signed.encode() + b"x", ec.ECDSA(hashes.SHA256()))
    claims: dict[str, Any] = json.loads(unlettered(signed.split(".")[1]))
    return claims


def test_advice_comes_once_encrypted_and_signed_with_its_answers(stage: Stage, browser: Browser) -> None:
    stage.daemon().tick()
    stage.daemon().tick()
    (request,) = browser.got
    assert request.headers["content-encoding"] == "aes128gcm"
    assert int(request.headers["ttl"]) > 0
    told = browser.read(request.body)
    advice = stage.bridge.store.recommendations.of_slot(stage.users[0].id, moment_at(stage.now, stage.users[0].zones))
    assert advice is not None
    assert told["title"].upper().replace(" ", "_").startswith(str(advice.action))
    assert told["text"].splitlines() == for_person(advice.facts)
    assert list(told["answers"]) == ["Accept", "Not now", "Later"]
    assert told["title"].encode() not in request.body
    token = told["answers"]["Accept"].removeprefix("/answer/")
    link = answer_links.follow(stage.bridge, token, now=stage.now)
    assert (link.recommendation.id, link.recommendation.answer) == (advice.id, Said.ACCEPT)
    claims = verify(stage, request)
    assert claims["aud"] == f"http://{request.headers['host']}"
    assert time.time() < claims["exp"] < time.time() + 86_400


def test_a_browser_whose_subscription_has_ended_is_forgotten(stage: Stage, browser: Browser) -> None:
    store, user = stage.bridge.store, stage.users[0]
    browser.status = 503
    assert notify.deliver_test(stage.bridge, user, now=stage.now) == "no browser took it"
    assert len(notify.devices_of(store, stage.bridge.vault, user.id)) == 1
    browser.status = 410
    assert notify.deliver_test(stage.bridge, user, now=stage.now) == "no browser took it"
    assert store.notifications.channel(user.id) is None
    with pytest.raises(SetupError, match="no address for messages"):
        notify.deliver_test(stage.bridge, user, now=stage.now)


def test_one_of_two_browsers_is_enough(stage: Stage, browser: Browser) -> None:
    other = Browser()
    add(stage, other.device("http://127.0.0.1:9"))
    assert notify.deliver_test(stage.bridge, stage.users[0], now=stage.now) is None
    assert browser.read(browser.got[0].body)["text"] == "Advice for ana will come here."


def test_the_key_is_rotated_with_the_others(stage: Stage, browser: Browser, tmp_path: Path) -> None:
    store, user = stage.bridge.store, stage.users[0]
    before = web_push.public_key(store, stage.bridge.vault, now=stage.now)
    place = InFile(tmp_path / "key")
    place.save([KEY])
    vault.rotate(store, place)
    assert list(place.keys()) != [KEY]
    assert web_push.public_key(store, Vault(place.keys), now=stage.now) == before
    assert len(notify.devices_of(store, Vault(place.keys), user.id)) == 1


@pytest.mark.parametrize("host", ["http://10.0.0.1", "http://127.0.0.1:9", "ftp://example.org", "https://", "nonsense"])
def test_an_address_inside_the_network_or_without_encryption_is_refused(host: str) -> None:
    with pytest.raises(SetupError, match="not that of a push service"):
        web_push.checked(Browser().device(host), frozenset())


def test_a_private_address_behind_https_is_not_reached(stage: Stage) -> None:
    """Its host is looked up when a message is sent; nothing inside the network is asked."""
    stage.add("ana", "Europe/Berlin")
    web_push.public_key(stage.bridge.store, stage.bridge.vault, now=stage.now)
    hits: list[Request] = []
    with LabServer(lambda request: hits.append(request) or Answer()) as server:
        device = Browser().device(server.url.replace("127.0.0.1", "localhost"))
        bridge = replace(stage.bridge, settings=replace(stage.bridge.settings, allow_hosts=frozenset()))
        reason, gone = web_push.send(bridge, [device], web_push.Notice(title="a", text="b", tag="c"))
    assert (reason, gone, hits) == ("no browser took it", [], [])


@pytest.mark.parametrize(("field", "value"), [("p256dh", letters(b"\4" + bytes(64))), ("auth", "AAAA"), ("auth", "ä")])
def test_keys_that_are_none_are_refused(field: str, value: str) -> None:
    found = Browser().device("https://push.example.org")
    values = {"endpoint": found.endpoint, "p256dh": found.p256dh, "auth": found.auth, "name": "", field: value}
    with pytest.raises(SetupError, match="keys that the browser sent are not valid"):
        web_push.checked(Device(**values), frozenset())
