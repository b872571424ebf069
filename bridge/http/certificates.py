"""Certificates of servers that no known authority signed, and a user's trust in one for a single address."""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from bridge.domain.errors import BridgeError, NeedsLogin, SetupError, TryLater
from bridge.domain.languages import Text, say
from bridge.http import egress

if TYPE_CHECKING:
    import requests
    from requests.adapters import HTTPAdapter

    from bridge.domain.ports import Browser

Result = TypeVar("Result")
TRUST_FIELD = "trust"  # of a stored consent
SECONDS = 10.0
CHECKED_DIGITS_MIN = 8  # of a fingerprint that a person compares
NAMES_MAX, NAME_MAX_CHARS = 3, 60
PEM_MAX_BYTES = 1_000_000
EXPIRED, OTHER_NAME = 10, 62  # codes of OpenSSL
PROBLEMS = {
    EXPIRED: say("it has expired"),
    OTHER_NAME: say("it is made out for another name"),
}
UNSIGNED = say("nobody whom this machine knows has signed it")


class Untrusted(NeedsLogin):
    """A server's ``certificate`` is not signed by a known authority."""

    def __init__(self, certificate: Certificate, command: str) -> None:
        super().__init__(
            say(
                "the certificate of {host} is not trusted: {problem}. It is for {names}, until {until}. SHA-256 "
                "fingerprint: {fingerprint}. If your server shows the same, connect again and type its first eight "
                "digits, or name the certificate's file: {command} --ca FILE",
                **certificate.told(),
                command=command,
            )
        )
        self.certificate = certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A certificate that the server at ``host`` showed, in PEM, with the ``problem`` why it is not trusted."""

    host: str
    pem: str
    problem: str

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 fingerprint as programs print it, such as ``AB:CD:...``."""
        digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.pem)).hexdigest().upper()
        return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))

    def is_named_by(self, typed: str | None) -> bool:
        """Return True if a typed text is the fingerprint, or at least its first eight digits."""
        digits = "".join(character for character in (typed or "").upper() if character.isalnum())
        whole = self.fingerprint.replace(":", "")
        return len(digits) >= CHECKED_DIGITS_MIN and whole.startswith(digits.removeprefix("SHA256"))

    def told(self) -> dict[str, str]:
        """Return the host, problem, names, last day and fingerprint as texts for a message."""
        from cryptography import x509
        from cryptography.x509.oid import ExtensionOID, NameOID

        try:
            found = x509.load_pem_x509_certificate(self.pem.encode())
            names = [str(one.value) for one in found.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
            until = f"{found.not_valid_after_utc:%Y-%m-%d}"
            other: Any = found.extensions.get_extension_for_oid(ExtensionOID.SUBJECT_ALTERNATIVE_NAME).value
            names = [str(one.value) for one in other] or names
        except x509.ExtensionNotFound:
            pass
        except ValueError:
            names, until = [], "?"
        shown = ("".join(c for c in name if c.isprintable())[:NAME_MAX_CHARS] for name in names[:NAMES_MAX])
        return {
            "host": self.host,
            "problem": self.problem,
            "names": ", ".join(shown) or "?",
            "until": until,
            "fingerprint": self.fingerprint,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """A user's trust in the certificates ``pem`` at ``address`` alone.

    If ``fingerprint`` is set, only the certificate that has it is accepted.
    """

    address: str
    pem: str
    fingerprint: str = ""

    def stored(self) -> dict[str, str]:
        """Return the trust as it is stored with a token."""
        return {"address": self.address, "pem": self.pem, "fingerprint": self.fingerprint}

    def mount(self, session: requests.Session, transport: Callable[..., HTTPAdapter], **options: Any) -> None:
        """Let a session accept the certificates for requests to the address's own host and port."""
        parts = urlsplit(self.address)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        port = parts.port or 443
        for place in (f"{host}:{port}", *([host] if port == 443 else [])):
            session.mount(f"https://{place}/", self._into(transport(**options)))

    def _into(self, adapter: HTTPAdapter) -> HTTPAdapter:
        from urllib3.util.ssl_ import create_urllib3_context

        context = create_urllib3_context()
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # a server's own certificate counts as its authority
        context.load_verify_locations(cadata=self.pem)
        pools = adapter.poolmanager.pool_classes_by_scheme
        # With a fingerprint, urllib3 compares that after the check of the certificate, in place of the host's name.
        options: dict[str, Any] = {"assert_fingerprint": self.fingerprint} if self.fingerprint else {}
        adapter.init_poolmanager(1, 4, ssl_context=context, **options)
        adapter.poolmanager.pool_classes_by_scheme = pools
        return adapter


def stored_trust(token: Mapping[str, Any]) -> Trust | None:
    """Return the trust that is stored with a token, or None."""
    kept = token.get(TRUST_FIELD)
    return Trust(**kept) if isinstance(kept, dict) else None


def trust_of_file(address: str, path: str) -> Trust:
    """Return the trust in the certificates of a PEM file. Raises SetupError if it holds none."""
    try:
        content = Path(path).expanduser().read_bytes()[:PEM_MAX_BYTES]
        pem = content.decode() if b"-----BEGIN" in content else ssl.DER_cert_to_PEM_cert(content)
        ssl.create_default_context(cadata=pem)
    except (OSError, ValueError, ssl.SSLError):
        raise SetupError(
            say("{path} holds no certificate that can be read; give a PEM file to --ca", path=path)
        ) from None
    return Trust(address=address, pem=pem)


def with_trust(
    browser: Browser, address: str, file: str, work: Callable[[Trust | None], Result]
) -> tuple[Result, Trust | None]:
    """Call ``work`` with a trust, and return (its result, the trust).

    The trust is in the certificates of ``file``, if it is not empty. Else the user is asked to confirm an unknown
    certificate. Raises Untrusted if the user does not.
    """
    trust = trust_of_file(address, file) if file else None
    try:
        return work(trust), trust
    except Untrusted as error:
        shown = error.certificate
        question = say(
            "The certificate of {host} is not trusted: {problem}. It is for {names}, until {until}. SHA-256 "
            "fingerprint: {fingerprint}. If your server shows the same, type its first eight digits",
            **shown.told(),
        )
        if urlsplit(address).hostname != shown.host or not shown.is_named_by(browser.ask(question)):
            raise
        trust = Trust(address=address, pem=shown.pem, fingerprint=shown.fingerprint)
    return work(trust), trust


def _refusal(error: Exception, address: str, allowed: Collection[str], command: str) -> Untrusted | None:
    """Return the error for a request that failed because of the server's certificate, or None for other failures."""
    from requests.exceptions import SSLError

    host = urlsplit(address).hostname
    if not isinstance(error, SSLError) or host is None:
        return None
    try:
        pem = _shown(host, urlsplit(address).port or 443, allowed)
    except (OSError, UnicodeError, ValueError):
        return None
    problem = PROBLEMS.get(_code(error), UNSIGNED)
    return Untrusted(Certificate(host=host, pem=pem, problem=problem), command)


def no_answer(error: Exception, address: str, allowed: Collection[str], command: str, silent: Text) -> BridgeError:
    """Return the error for a request without an answer, Untrusted or else TryLater with the text ``silent``.

    ``command`` is the next step in the text. Whether the server refused or was silent is not told, because that would
    reveal the operator's network.
    """
    return _refusal(error, address, allowed, command) or TryLater(silent)


def _shown(host: str, port: int, allowed: Collection[str]) -> str:
    import socket

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for *_, where in egress.permitted_addresses(host, port, allowed, type=socket.SOCK_STREAM):
        with (
            socket.create_connection(where[:2], SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host) as sealed,
        ):
            return ssl.DER_cert_to_PEM_cert(sealed.getpeercert(binary_form=True) or b"")
    raise OSError("no address answers")


def _code(error: BaseException | None) -> int:
    seen = 0
    while error is not None and seen < 10:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_code
        reason = getattr(error, "reason", None) or next((arg for arg in error.args if isinstance(arg, Exception)), None)
        error = reason if isinstance(reason, BaseException) else error.__cause__ or error.__context__
        seen += 1
    return 0
