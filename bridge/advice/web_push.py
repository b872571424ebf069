"""Messages to browsers by Web Push, encrypted for a device (RFC 8291) and signed by the bridge's key (RFC 8292)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bridge.auth.vault import SEALING_LOCK, Vault
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.languages import say
from bridge.http import egress, open_typed_session

if TYPE_CHECKING:
    from py_vapid import Vapid02

    from bridge.installation import Bridge
    from bridge.store import Store

KEY_NAME = "web push"  # of the key pair among the sealed clients
ENDPOINT_MAX_CHARS, NAME_MAX_CHARS = 1000, 60
TITLE_MAX_CHARS, TEXT_MAX_CHARS = 100, 400  # a push service takes 4,096 bytes, and a letter has up to four
KEPT_SECONDS = 6 * 3600  # for which a push service keeps a message for a browser that is away: a slot
POINT_BYTES, SECRET_BYTES = 65, 16  # of a device's public key and of its secret (RFC 8291, 3.1)
SEND_SECONDS, SEND_ALL_SECONDS = 10.0, 60.0  # time limits, of a step and to begin with another device
SIGNED_FOR = timedelta(hours=12)  # RFC 8292 allows a day
NO_CONTACT = "mailto:nobody@example.org"  # a push service refuses a message without any
ENCODING = "aes128gcm"  # of a message (RFC 8188)
GONE = (404, 410)  # answers about a subscription that has ended (RFC 8030, 7.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A browser that gets messages, with its address at the push service, its public key, its secret and its name."""

    endpoint: str
    p256dh: str
    auth: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A message for a browser. A click opens ``page``. A later notice with the same ``tag`` replaces it.

    ``answers`` maps the word on a button to a path. The path of the button named ``choice`` is opened as a page.
    """

    title: str
    text: str
    tag: str
    page: str = "/"
    answers: Mapping[str, str] = field(default_factory=dict)
    choice: str = "Later"

    @property
    def body(self) -> bytes:
        """Return the notice as UTF-8 JSON for the page's service worker, with long text cut."""
        told = asdict(self) | {"title": self.title[:TITLE_MAX_CHARS], "text": self.text[:TEXT_MAX_CHARS]}
        return json.dumps(told, ensure_ascii=False).encode()


def checked(device: Device, allowed: Collection[str]) -> Device:
    """Return the device unchanged. Raises SetupError if its address or keys are invalid."""
    plain = device.endpoint.startswith("http://") and egress.host_of(device.endpoint) in allowed
    whole = len(device.endpoint) <= ENDPOINT_MAX_CHARS and egress.host_of(device.endpoint)
    if not whole or not (device.endpoint.startswith("https://") or plain) or len(device.name) > NAME_MAX_CHARS:
        raise SetupError(
            say(
                "the address that the browser sent is not that of a push service; press the button for messages on the "
                "page again"
            )
        )
    sizes = (_size(device.p256dh), _size(device.auth))
    if sizes != (POINT_BYTES, SECRET_BYTES) or not _is_point(device.p256dh):
        raise SetupError(
            say("the keys that the browser sent are not valid; press the button for messages on the page again")
        )
    return device


def _size(text: str) -> int:
    try:
        return len(_bytes(text))
    except (binascii.Error, ValueError):
        return 0


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _is_point(text: str) -> bool:
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(text))
    except ValueError:
        return False
    return True


def mark(device: Device) -> str:
    """Return a short digest of a browser's address, which identifies the browser without revealing the address."""
    return hashlib.sha256(device.endpoint.encode()).hexdigest()[:16]


def public_key(store: Store, vault: Vault, *, now: datetime) -> str:
    """Return the bridge's public key (P-256) in base64url.

    The key pair is made, and stored encrypted, on the first call.
    """
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    with store.lock(SEALING_LOCK):
        if store.connections.client(KEY_NAME) is None:
            store.connections.save_client(KEY_NAME, vault.seal({"private": _new_private()}), now=now)
    point = _signer(store, vault).public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def _new_private() -> str:
    from cryptography.hazmat.primitives.asymmetric import ec

    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return base64.urlsafe_b64encode(number.to_bytes(32, "big")).decode()


def _signer(store: Store, vault: Vault) -> Vapid02:
    from py_vapid import Vapid02

    sealed = store.connections.client(KEY_NAME)
    if sealed is None:
        raise SetupError(
            say("the key for messages to browsers is gone; press the button for messages on the page again")
        )
    return Vapid02.from_raw(vault.unseal(sealed)["private"].encode())


def send(bridge: Bridge, devices: Sequence[Device], notice: Notice) -> tuple[str | None, list[Device]]:
    """Send a notice to each device. Return (None if any device took it, else the reason; devices to delete).

    Raises SetupError if the bridge has no key.
    """
    signer, contact = _signer(bridge.store, bridge.vault), bridge.settings.url
    who = contact if contact and contact.startswith("https://") else NO_CONTACT
    until = time.monotonic() + SEND_ALL_SECONDS
    in_time = (device for device in devices if time.monotonic() < until)
    told = [(device, _send(signer, device, notice.body, bridge.settings.allow_hosts, who)) for device in in_time]
    gone = [device for device, status in told if status in GONE]
    taken = any(200 <= status < 300 for _, status in told)
    return (None if taken else "no browser took it"), gone


def _send(signer: Vapid02, device: Device, body: bytes, allowed: Collection[str], contact: str) -> int:
    import requests

    service = urlsplit(device.endpoint)
    until = datetime.now(UTC) + SIGNED_FOR
    claims = {"aud": f"{service.scheme}://{service.netloc}", "exp": int(until.timestamp()), "sub": contact}
    headers = {**signer.sign(claims), "Content-Encoding": ENCODING, "TTL": str(KEPT_SECONDS)}
    with open_typed_session(allowed) as session:
        try:
            answer = session.post(device.endpoint, data=_encrypted(device, body), headers=headers, timeout=SEND_SECONDS)
        except (requests.RequestException, BridgeError):  # BridgeError: an answer without end
            return 0
    return answer.status_code


def _encrypted(device: Device, body: bytes) -> bytes:
    # Each message has a key of its own (RFC 8291, 3).
    import http_ece
    from cryptography.hazmat.primitives.asymmetric import ec

    own = ec.generate_private_key(ec.SECP256R1())
    point, secret = _bytes(device.p256dh), _bytes(device.auth)
    sealed: bytes = http_ece.encrypt(body, private_key=own, dh=point, auth_secret=secret, version=ENCODING)
    return sealed
