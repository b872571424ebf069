"""Serve the page in the home network by HTTPS (``bridge up --lan``), with a certificate authority of its own."""

from __future__ import annotations

import io
import logging
import secrets
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address, ip_network
from pathlib import Path
from socketserver import TCPServer
from typing import TYPE_CHECKING

import segno
from cryptography import x509
from cryptography.hazmat.primitives import serialization as to
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from bridge.auth.vault import SEALING_LOCK, Vault
from bridge.domain.errors import SetupError
from bridge.web.logins import check_passwords

if TYPE_CHECKING:
    from bridge.installation import Bridge
    from bridge.store import Store

log = logging.getLogger(__name__)
EVERYWHERE = "0.0.0.0"  # noqa: S104 - what --lan is for; every user needs a login
ELSEWHERE = ("192.0.2.1", 9)  # an address for documents (RFC 5737), to which nothing is sent
PATH = "/authority.crt"
KIND = "application/x-x509-ca-cert"
SECONDS = 5  # that a device has for its request of the certificate, which are answered one after another
TAPS = """\
Trust it once on each device, then open the page and install it.
  iPhone, iPad: open the first address in Safari and allow the download;
    Settings, Profile Downloaded, Install;
    Settings, General, About, Certificate Trust Settings: switch it on.
  Android: open the first address in Chrome and save the file;
    Settings, search for "CA certificate", Install anyway;
    choose the file.
  Windows: open the file, Install Certificate;
    Current User, "Place all certificates in the following store";
    Trusted Root Certification Authorities, Finish.
  macOS: open the file, which adds it to the keychain "login";
    double-click it there, open Trust;
    "When using this certificate": Always Trust."""
KEPT_NAME = "own network"  # of the authority among the sealed clients, which a rotation of keys seals again
AUTHORITY_LASTS, LEAF_LASTS = timedelta(days=5 * 365), timedelta(days=30)
BEFORE = timedelta(days=1)  # that certificates begin, for devices whose clock is behind
COMMON_NAME_MAX = 64  # characters, by X.520


@dataclass(frozen=True, slots=True, kw_only=True)
class Lan:
    """A page served by HTTPS in this machine's own network, under the names in ``place``."""

    place: Place
    name: str  # of this machine, to be shown
    address: str | None  # of this machine now
    context: ssl.SSLContext
    certificate: bytes  # the authority's root, in DER
    fingerprint: str

    @contextmanager
    def serve_certificate(self, port: int) -> Iterator[Callable[[socket.socket], str]]:
        """Serve the authority's certificate by HTTP inside a ``with`` block.

        The block gets a function from a listening socket to a text that tells how to reach the page. Raises SetupError
        if the port is in use.
        """
        try:
            server = _Server((EVERYWHERE, port), self.certificate)
        except (OSError, OverflowError):
            raise SetupError(f"port {port} is not free; choose another: bridge up --lan --port {port + 1}") from None
        serving = threading.Thread(target=server.serve_forever, name="certificate", daemon=True)
        serving.start()
        try:
            yield lambda listening: self.told(listening.getsockname()[1], server.server_address[1])
        finally:
            server.shutdown()
            server.server_close()
            serving.join()

    def told(self, port: int, plain: int) -> str:
        """Return the terminal's text on how a device gets the certificate and the page, with QR codes.

        ``port`` is the page's, and ``plain`` that of the certificate.
        """
        download, page = f"http://{self.address or self.name}:{plain}{PATH}", f"https://{self.name}:{port}/"
        lines = [
            f"certificate: {download}",
            _code(download),
            f"SHA-256: {self.fingerprint}",
            f"page: {page}",
            _code(page),
        ]
        if self.address in self.place.addresses:
            lines.append(f"The page answers at https://{self.address}:{port}/ too, where no passkey works.")
        elif self.address:
            lines.append(
                f"{self.address} is a new address, which the authority may not sign: open the page by its name, or "
                "make another authority, which every device has to trust again: bridge up --lan --new-authority"
            )
        return "\n".join([*lines, TAPS])


def opened(bridge: Bridge, names: Sequence[str], *, anew: bool = False, place: Place | None = None) -> Lan:
    """Return the Lan of this machine, whose certificate authority is loaded, or made (with ``anew`` again).

    Without ``place``, the machine's names and addresses are looked up. Raises SetupError if it has no name, or if a
    user has no way to log in.
    """
    check_passwords(bridge)
    place = place or own_place(names)
    signer = kept_authority(bridge.store, bridge.vault, place, anew=anew, now=datetime.now(UTC))
    return Lan(
        place=signer.place,
        name=place.names[0],
        address=next(iter(place.addresses), None),
        context=context_of(signer),
        certificate=signer.root.public_bytes(Encoding.DER),
        fingerprint=signer.fingerprint,
    )


def own_place(names: Sequence[str]) -> Place:
    """Return the names and the IPv4 address by which a home network reaches this machine. ``names`` come first.

    Raises SetupError if the only name is localhost.
    """
    host = socket.gethostname().lower().rstrip(".")
    short = host.partition(".")[0]
    found = dict.fromkeys([*(name.lower() for name in names), f"{short}.local", short, host])
    known = tuple(name for name in found if name.partition(".")[0] not in ("", "localhost"))
    if not known:
        raise SetupError("this machine has no name in its network; give it one: bridge up --lan --name NAME")
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            asked.connect(ELSEWHERE)
            address = asked.getsockname()[0]
    except OSError:
        return Place(names=known, addresses=())
    return Place(names=known, addresses=(address,))


def context_of(signer: Authority, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> ssl.SSLContext:
    """Return a TLS context with a certificate that it renews by itself after half of its lifetime."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    lock, due = threading.Lock(), clock()

    def renew(*_: object) -> None:
        nonlocal due
        with lock:
            if (now := clock()) >= due:
                _load(context, signer, now)
                due = now + LEAF_LASTS / 2

    renew()
    context.sni_callback = renew
    return context


def _load(context: ssl.SSLContext, signer: Authority, now: datetime) -> None:
    """Give ``context`` a new certificate. Its key is on the disk only for a moment, encrypted by a random password."""
    password = secrets.token_urlsafe()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "page.pem")
        file.write_bytes(signer.issue(now=now, password=password.encode()))
        context.load_cert_chain(file, password=password)


class _Server(TCPServer):
    """A server of a single file, which answers one request after another."""

    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], certificate: bytes) -> None:
        super().__init__(address, _Handler)
        self.certificate = certificate

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002 - the base's shape
        log.info("the certificate's server: a request broke off")


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version, sys_version = "rhythm-bridge", ""
    timeout = SECONDS

    def do_GET(self) -> None:
        known = self.path == PATH
        content = self.server.certificate if known else b""
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", KIND if known else "text/plain")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's shape
        """Log nothing, because the certificate is public."""


def _code(text: str) -> str:
    drawn = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out=drawn, border=2, compact=True)
    return drawn.getvalue().rstrip("\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The names and addresses of this machine in its own network. The first name is shown to users."""

    names: tuple[str, ...]
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """A certificate authority. Devices trust its certificate ``root``, and ``signer`` (with ``key``) signs for it.

    It can sign only for the names and addresses of ``place``.
    """

    root: x509.Certificate
    signer: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    place: Place

    def issue(self, *, now: datetime, password: bytes) -> bytes:
        """Return a new key, encrypted with ``password``, its certificate for ``place`` and the signer's, as PEM."""
        names = [x509.DNSName(name) for name in self.place.names]
        addresses = [x509.IPAddress(ip_address(address)) for address in self.place.addresses]
        key = ec.generate_private_key(ec.SECP256R1())
        leaf = (
            _begun(self.place.names[0], key, now - BEFORE, min(now + LEAF_LASTS, self.signer.not_valid_after_utc))
            .issuer_name(self.signer.subject)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_uses(sign=False), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), critical=False)
            .add_extension(x509.SubjectAlternativeName([*names, *addresses]), critical=False)
            .sign(self.key, SHA256())
        )
        sealed = key.private_bytes(to.Encoding.PEM, to.PrivateFormat.PKCS8, to.BestAvailableEncryption(password))
        return sealed + leaf.public_bytes(to.Encoding.PEM) + self.signer.public_bytes(to.Encoding.PEM)

    @property
    def fingerprint(self) -> str:
        """The root's SHA-256 fingerprint, as devices show it."""
        return self.root.fingerprint(SHA256()).hex(" ").upper()


def new_authority(place: Place, *, now: datetime) -> Authority:
    """Make an authority for the names and addresses of ``place``, and for names below them."""
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    begin, end = now - BEFORE, now + AUTHORITY_LASTS
    title = f"{place.names[0]} (rhythm-bridge)"
    root = _begun(title, root_key, begin, end)
    root = root.issuer_name(_named(title)).add_extension(x509.BasicConstraints(ca=True, path_length=1), critical=True)
    signer = _begun(f"signer of {title}", key, begin, end).issuer_name(_named(title))
    signer = signer.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    whose = x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key())
    return Authority(
        root=_bound(root, place).sign(root_key, SHA256()),
        signer=_bound(signer, place).add_extension(whose, critical=False).sign(root_key, SHA256()),
        key=key,
        place=place,
    )


def kept_authority(store: Store, vault: Vault, place: Place, *, anew: bool, now: datetime) -> Authority:
    """Return the stored authority of this installation, or a new one, which is stored encrypted.

    A new one is made on the first call, with ``anew``, shortly before the old one ends, for another host name, or if it
    cannot be decrypted. New addresses do not replace it, because every device would have to trust it again.
    """
    with store.lock(SEALING_LOCK):
        found = None if anew else _opened(store, vault)
        if (
            found is None
            or place.names[0] not in found.place.names
            or found.signer.not_valid_after_utc < now + 2 * LEAF_LASTS
        ):
            found = new_authority(place, now=now)
            store.connections.save_client(KEPT_NAME, vault.seal(_packed(found)), now=now)
    return found


def _packed(authority: Authority) -> dict[str, object]:
    plain = authority.key.private_bytes(to.Encoding.PEM, to.PrivateFormat.PKCS8, to.NoEncryption())
    certificates = (authority.root, authority.signer)
    root, signer = (certificate.public_bytes(to.Encoding.PEM).decode() for certificate in certificates)
    place = {"names": authority.place.names, "addresses": authority.place.addresses}
    return {"root": root, "signer": signer, "key": plain.decode(), **place}


def _opened(store: Store, vault: Vault) -> Authority | None:
    sealed = store.connections.client(KEPT_NAME)
    if sealed is None:
        return None
    try:
        body = vault.unseal(sealed)
    except SetupError:
        return None
    key = to.load_pem_private_key(body["key"].encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)  # noqa: S101 - as ``new_authority`` made it
    root, signer = (x509.load_pem_x509_certificate(body[name].encode()) for name in ("root", "signer"))
    place = Place(names=tuple(body["names"]), addresses=tuple(body["addresses"]))
    return Authority(root=root, signer=signer, key=key, place=place)


def _begun(title: str, key: ec.EllipticCurvePrivateKey, begin: datetime, end: datetime) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(_named(title))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _bound(builder: x509.CertificateBuilder, place: Place) -> x509.CertificateBuilder:
    """Return ``builder`` limited to sign for the names and addresses of ``place`` alone."""
    names: Sequence[x509.GeneralName] = [x509.DNSName(name) for name in place.names]
    addresses = [x509.IPAddress(ip_network(address)) for address in place.addresses]
    none = [x509.IPAddress(ip_network(one)) for one in ("0.0.0.0/0", "::/0")]
    constraints = x509.NameConstraints([*names, *addresses], None if addresses else none)
    return builder.add_extension(constraints, critical=True).add_extension(_uses(sign=True), critical=True)


def _uses(*, sign: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not sign,
        key_cert_sign=sign,
        crl_sign=sign,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _named(title: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, title[:COMMON_NAME_MAX])])
