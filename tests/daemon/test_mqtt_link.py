"""The connection to an MQTT broker: its settings, passwords and TLS, a broker that is away or lost everything."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bridge import doctor
from bridge.daemon.due_tasks import run_due_tasks
from bridge.daemon.mqtt.link import broker_of
from bridge.daemon.mqtt.publisher import METERS_EVERY, opened
from bridge.domain.errors import SetupError
from tests.daemon.broker import PATIENCE_SECONDS, free_port, listening, mosquitto, retained, until
from tests.daemon.stage import Stage

SETTINGS = {"url": "", "user": "", "password": "", "ca": "", "name": "rhythm_bridge", "discovery": "homeassistant"}


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.add("ana", "Europe/Berlin")
    return stage


def test_a_broker_that_lost_everything_is_told_again(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.daemon.mqtt.link.RECONNECT_SECONDS", (1, 1))
    port = free_port()
    monkeypatch.setenv("BRIDGE_MQTT_URL", f"mqtt://127.0.0.1:{port}")
    monkeypatch.setenv("BRIDGE_MQTT_SHARE", "yes")
    run_due_tasks(stage.bridge, stage.users[0], now=stage.now)
    with ExitStack() as stack:
        with mosquitto(tmp_path / "broker", port):
            publisher = opened(stage.bridge, lambda: None)
            assert publisher is not None
            stack.callback(publisher.link.close)
            until(lambda: publisher.link.is_ready)
            publisher.update(stage.now)
            config = publisher.broker.names.config(publisher.broker.names.device(stage.users[0]))
            until(lambda: config in retained(port))
            # What the broker did not acknowledge before it ended is sent again, and acknowledgements come in order.
            publisher.link._client.publish("marker/last", "x", qos=1).wait_for_publish(PATIENCE_SECONDS)
        until(lambda: not publisher.link.is_ready)
        publisher.update(stage.now)  # while it is away nothing happens, and nothing fails
        with mosquitto(tmp_path / "broker", port), listening(port) as ear:
            until(lambda: publisher.link.is_ready)
            publisher.update(stage.now + METERS_EVERY)
            until(lambda: config in retained(port))
            assert ear.all_of("/recommended") == []  # the event was told before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # paho leaves refused sockets open
def test_a_password_and_tls_are_needed_where_the_broker_asks(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, port = tmp_path / "broker", free_port()
    folder.mkdir()
    folder.chmod(0o755)
    certificate(folder)
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(folder / "users"), "bridge", "open sesame"], check=True)
    lines = ("allow_anonymous false", f"password_file {folder / 'users'}", f"certfile {folder / 'cert.pem'}")
    monkeypatch.setenv("BRIDGE_MQTT_URL", f"mqtts://127.0.0.1:{port}")
    monkeypatch.setenv("BRIDGE_MQTT_USER", "bridge")
    with mosquitto(folder, port, *lines, f"keyfile {folder / 'key.pem'}"):
        for ca, password, ready in (
            ("", "open sesame", False),
            (str(folder / "cert.pem"), "wrong", False),
            (str(folder / "cert.pem"), "open sesame", True),
        ):
            monkeypatch.setenv("BRIDGE_MQTT_CA", ca)
            monkeypatch.setenv("BRIDGE_MQTT_PASSWORD", password)
            publisher = opened(stage.bridge, lambda: None)
            assert publisher is not None
            try:
                if ready:
                    until(lambda found=publisher: found.link.is_ready)
                else:
                    with pytest.raises(AssertionError):
                        until(lambda found=publisher: found.link.is_ready, seconds=1.5)
            finally:
                publisher.link.close()


def test_a_broker_that_does_not_answer_is_told_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("BRIDGE_MQTT_URL", f"mqtt://127.0.0.1:{free_port()}")
    monkeypatch.setattr("bridge.daemon.mqtt.link.RECONNECT_SECONDS", (1, 1))
    publisher = opened(stage.bridge, lambda: None)
    assert publisher is not None
    try:
        until(lambda: "does not answer" in caplog.text)
        publisher.update(stage.now)
        with pytest.raises(AssertionError):
            until(lambda: caplog.text.count("does not answer") > 1, seconds=2.5)
    finally:
        publisher.link.close()


def test_without_an_address_nothing_is_opened_or_loaded(stage: Stage) -> None:
    assert opened(stage.bridge, lambda: None) is None
    code = "import sys, bridge.daemon.process; print([m for m in sys.modules if m.startswith('paho')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"url": "homeassistant.local"}, "BRIDGE_MQTT_URL must look like"),
        ({"url": "mqtt://ana:secret@host"}, "BRIDGE_MQTT_URL must look like"),
        ({"url": "mqtt://host:port"}, "host or port in BRIDGE_MQTT_URL"),
        ({"url": "mqtt://host", "name": "Ana's bridge"}, "BRIDGE_MQTT_NAME"),
        ({"url": "mqtt://host", "discovery": "#"}, "BRIDGE_MQTT_DISCOVERY"),
    ],
)
def test_a_wrong_setting_is_named(wrong: dict[str, str], says: str) -> None:
    with pytest.raises(SetupError, match=says) as raised:
        broker_of({**SETTINGS, **wrong})
    assert "secret" not in str(raised.value)


def test_the_doctor_says_who_shares_and_what_is_wrong(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> list[tuple[bool, str]]:
        return [(one.ok, one.text) for one in doctor.examine() if one.check == "mqtt"]

    assert found() == []
    monkeypatch.setenv("BRIDGE_MQTT_URL", "mqtt://broker.example.org")
    monkeypatch.setenv("BRIDGE_MQTT_SHARE", "yes")
    assert [(ok, text.split()[0]) for ok, text in found()] == [(True, "1")]
    monkeypatch.setenv("BRIDGE_MQTT_SHARE", "everything")
    assert [(ok, text.split()[0]) for ok, text in found()] == [(False, "BRIDGE_MQTT_SHARE")]
    monkeypatch.setenv("BRIDGE_MQTT_SHARE", "yes")
    stage.add("ben", "Europe/Berlin")
    assert [text.split()[0] for ok, text in found()] == ["0"]
    assert "BRIDGE_MQTT_SHARE belongs to one user" in " ".join(one.text for one in doctor.examine() if not one.ok)


def certificate(folder: Path) -> None:
    """Write a certificate of 127.0.0.1 that signs itself, and its key."""
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broker")])
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(here, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    (folder / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
