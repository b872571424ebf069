"""A certificate authority of this installation, which can sign nothing but its machine's names and addresses.

A root, whose key is thrown away at once, signs a single authority below it. Both hold critical name constraints (RFC
5280, 4.2.1.10). The lower one's hold in every verifier, even in one that reads none of a certificate it was told to
trust.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import serialization as to
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from bridge.auth.vault import SEALING_LOCK, Vault
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.store import Store

KEPT_NAME = "own network"  # of the authority among the sealed clients, which a rotation of keys seals again
AUTHORITY_LASTS, LEAF_LASTS = timedelta(days=5 * 365), timedelta(days=30)
BEFORE = timedelta(days=1)  # that certificates begin, for devices whose clock is behind
COMMON_NAME_MAX = 64  # characters, by X.520


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The host ``names`` of this machine in its own network, the one to show first, and its ``addresses``."""

    names: tuple[str, ...]
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """A certificate authority: devices trust ``root``, ``signer`` with its ``key`` signs, only names of ``place``."""

    root: x509.Certificate
    signer: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    place: Place

    def issue(self, *, now: datetime, password: bytes) -> bytes:
        """Return a new key, sealed by ``password``, and its certificate for the whole ``place``, as PEM with the
        signer's.
        """
        names = [x509.DNSName(name) for name in self.place.names]
        addresses = [x509.IPAddress(ip_address(one)) for one in self.place.addresses]
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


def made(place: Place, *, now: datetime) -> Authority:
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


def kept(store: Store, vault: Vault, place: Place, *, anew: bool, now: datetime) -> Authority:
    """Return this installation's authority, which is made on the first call and stored encrypted.

    It is replaced with ``anew``, shortly before it ends, for another host name, or if no key decrypts it.
    New addresses do not replace it, because every device would have to trust it again.
    """
    with store.lock(SEALING_LOCK):
        found = None if anew else _opened(store, vault)
        if (
            found is None
            or place.names[0] not in found.place.names
            or found.signer.not_valid_after_utc < now + 2 * LEAF_LASTS
        ):
            found = made(place, now=now)
            store.connections.save_client(KEPT_NAME, vault.seal(_packed(found)), now=now)
    return found


def _packed(authority: Authority) -> dict[str, object]:
    plain = authority.key.private_bytes(to.Encoding.PEM, to.PrivateFormat.PKCS8, to.NoEncryption())
    certificates = (authority.root, authority.signer)
    root, signer = (one.public_bytes(to.Encoding.PEM).decode() for one in certificates)
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
    assert isinstance(key, ec.EllipticCurvePrivateKey)  # noqa: S101 - as ``made`` made it
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
    """Limit an authority's certificate to the names and addresses of ``place``. Without addresses it may sign none."""
    names: Sequence[x509.GeneralName] = [x509.DNSName(name) for name in place.names]
    addresses = [x509.IPAddress(ip_network(one)) for one in place.addresses]
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
