"""Certificates as home servers have them: self-signed or of an authority of their own, expired, for other names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A certificate and its key as files, and the file of the authority that signed it."""

    certificate: Path
    key: Path
    ca: Path

    @property
    def fingerprint(self) -> str:
        found = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        return found.fingerprint(hashes.SHA256()).hex(":").upper()


def sealed(folder: Path, *, names: tuple[str, ...] = ("localhost",), days: int = 30, authority: bool = False) -> Sealed:
    """Make a certificate for ``names``, none of which may be given, that ends in so many days."""
    folder.mkdir(parents=True, exist_ok=True)
    own = ec.generate_private_key(ec.SECP256R1())
    issuer, signing = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "nas")]), own
    ca = folder / "own.pem"
    if authority:
        signing = ec.generate_private_key(ec.SECP256R1())
        issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Home authority")])
        root = _signed(issuer, issuer, signing, signing, days=days, names=(), is_ca=True)
        ca = folder / "ca.pem"
        ca.write_bytes(root.public_bytes(serialization.Encoding.PEM))
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "nas")])
    made = _signed(subject, issuer, own, signing, days=days, names=names, is_ca=not authority)
    certificate, key = folder / "own.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    key.write_bytes(own.private_bytes(encoding, form, serialization.NoEncryption()))
    return Sealed(certificate=certificate, key=key, ca=ca)


def _signed(
    subject: x509.Name,
    issuer: x509.Name,
    own: ec.EllipticCurvePrivateKey,
    signing: ec.EllipticCurvePrivateKey,
    *,
    days: int,
    names: tuple[str, ...],
    is_ca: bool,
) -> x509.Certificate:
    until = datetime.now(UTC) + days * DAY
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(own.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(until - 400 * DAY)
    builder = builder.not_valid_after(until)
    builder = builder.add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
    if names:
        others = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
        builder = builder.add_extension(others, critical=False)
    return builder.sign(signing, hashes.SHA256())
