"""Register passkeys and check logins with them, by the library ``webauthn`` (W3C Web Authentication, level 2)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address

from bridge.domain.errors import Forged, SetupError
from bridge.domain.languages import say
from bridge.domain.records import Passkey, User
from bridge.store import Store

NAME_MAX_CHARS = 60
PASSKEYS_MAX = 20  # of a user
TITLE = "rhythm-bridge"  # that authenticators show
TIMEOUT_MS = 120_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """A random challenge that an authenticator must sign, for a page at ``host`` opened at one of ``origins``.

    ``user_id`` is the user who registers a passkey, and None for a login.
    """

    value: bytes
    host: str
    origins: tuple[str, ...]
    user_id: int | None = None


def is_host(host: str) -> bool:
    """Return True for a host name, for which passkeys can be made. Browsers make none for numeric addresses.

    >>> is_host("localhost"), is_host("bridge.example.org"), is_host("127.0.0.1"), is_host("")
    (True, True, False, False)
    """
    try:
        ip_address(host)
    except ValueError:
        return bool(host)
    return False


def begin_registration(store: Store, user: User, host: str, origins: Sequence[str]) -> tuple[Challenge, str]:
    """Return a challenge, and as JSON the options to make a passkey. ``origins`` are the page's addresses.

    Raises SetupError if ``host`` is no host name, or if the user has too many passkeys.
    """
    from webauthn import generate_registration_options, options_to_json
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    kept = store.credentials.passkeys(user.id)
    _refuse_unless_possible(host, len(kept))
    options = generate_registration_options(
        rp_id=host,
        rp_name=TITLE,
        user_name=user.name,
        user_id=hashlib.sha256(f"user {user.id}".encode()).digest(),
        timeout=TIMEOUT_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=one.credential) for one in kept],
    )
    challenge = Challenge(value=options.challenge, host=host, origins=tuple(origins), user_id=user.id)
    return challenge, options_to_json(options)


def _refuse_unless_possible(host: str, count: int) -> None:
    if not is_host(host):
        raise SetupError(
            say(
                "passkeys need a page at a host name, not at an IP address; open it as localhost, set BRIDGE_URL "
                "to an address with a name, or start it with: bridge up --lan"
            )
        )
    if count >= PASSKEYS_MAX:
        raise SetupError(
            say("you have {max} passkeys, which is the most possible; remove one of them first", max=PASSKEYS_MAX)
        )


def registered(challenge: Challenge, answer: str, name: str, *, now: datetime) -> Passkey:
    """Return the passkey, called ``name``, that a browser's answer to a challenge proves. Raises Forged otherwise."""
    from webauthn import verify_registration_response
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        found = verify_registration_response(
            credential=answer,
            expected_challenge=challenge.value,
            expected_rp_id=challenge.host,
            expected_origin=list(challenge.origins),
            require_user_verification=True,
        )
        _check_key(found.credential_public_key)
    except (WebAuthnException, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise refused() from None
    return Passkey(
        name=name.strip()[:NAME_MAX_CHARS] or "A passkey",
        host=challenge.host,
        credential=found.credential_id,
        public_key=found.credential_public_key,
        signatures=found.sign_count,
        made_at=now,
    )


def _check_key(encoded: bytes) -> None:
    """Raise ValueError for a public key that cannot be decoded, which the attestation "none" does not check."""
    from webauthn.helpers import decode_credential_public_key, decoded_public_key_to_cryptography

    decoded_public_key_to_cryptography(decode_credential_public_key(encoded))


def begin_login(host: str, origins: Sequence[str]) -> tuple[Challenge, str]:
    """Return a challenge and the JSON options with which a browser asks for a passkey of the page at ``host``.

    ``origins`` are the page's addresses. The options name no user, to keep secret who has a passkey. Raises SetupError
    if ``host`` is no host name.
    """
    from webauthn import generate_authentication_options, options_to_json
    from webauthn.helpers.structs import UserVerificationRequirement

    _refuse_unless_possible(host, 0)
    options = generate_authentication_options(
        rp_id=host, timeout=TIMEOUT_MS, user_verification=UserVerificationRequirement.REQUIRED
    )
    return Challenge(value=options.challenge, host=host, origins=tuple(origins)), options_to_json(options)


def user_with_passkey(store: Store, challenge: Challenge, answer: str, *, now: datetime) -> int:
    """Return the id of the user whose passkey a browser's answer to a login challenge proves.

    Raises Forged, without naming the cause, if anything is wrong. A counter that did not grow means a copied key.
    """
    from webauthn import verify_authentication_response
    from webauthn.helpers import base64url_to_bytes
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        known = store.credentials.passkey(base64url_to_bytes(json.loads(answer)["rawId"]))
        if known is None:
            raise refused()
        user_id, passkey = known
        found = verify_authentication_response(
            credential=answer,
            expected_challenge=challenge.value,
            expected_rp_id=challenge.host,
            expected_origin=list(challenge.origins),
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.signatures,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise refused() from None
    if not store.credentials.note_use(passkey, found.new_sign_count, now=now):
        raise refused()
    return user_id


def refused() -> Forged:
    """Return the error for a passkey whose answer proves nothing. Its text does not tell why."""
    return Forged("that passkey is not known here; try another one, or log in another way")
