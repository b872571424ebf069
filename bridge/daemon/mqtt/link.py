"""The connection to the broker, which paho keeps up in a thread of its own, and what the broker retains of ours."""

from __future__ import annotations

import logging
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bridge.daemon.mqtt.entities import OFFLINE, ONLINE, Names
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessage

log = logging.getLogger(__name__)

PORTS = {"mqtt": 1883, "mqtts": 8883}
RECONNECT_SECONDS = (1, 120)  # after a lost connection, doubling
KEEPALIVE_SECONDS = 60
RETAINED_MAX = 2000  # topics; a broker holds thirteen for each person
PAYLOAD_MAX_BYTES = 65_536
QUEUED_MAX = 1000  # messages that wait while the broker is away
GOODBYE_SECONDS = 1.0
TOPIC_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
AGAIN = "correct it, then: bridge doctor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """The address of a broker, the login there, and the names that are used there."""

    host: str
    port: int
    tls: bool
    user: str
    password: str
    ca: str
    names: Names


def broker_of(settings: Mapping[str, str]) -> Broker | None:
    """Return the broker that the settings name, or None if they name none. Raises SetupError for a wrong setting."""
    if not settings["url"]:
        return None
    try:
        parts = urlsplit(settings["url"])
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        raise SetupError(f"BRIDGE_MQTT_URL names no port; {AGAIN}") from None
    if parts.scheme not in PORTS or not parts.hostname or parts.username is not None or parts.path not in ("", "/"):
        raise SetupError(
            f"BRIDGE_MQTT_URL must look like mqtt://HOST:1883 or mqtts://HOST:8883, without a login or path; {AGAIN}"
        )
    for name in ("name", "discovery"):
        if not TOPIC_NAME.fullmatch(settings[name]):
            raise SetupError(f"BRIDGE_MQTT_{name.upper()} has small letters, digits and _ alone, 40 at most; {AGAIN}")
    return Broker(
        host=parts.hostname,
        port=port,
        tls=parts.scheme == "mqtts",
        user=settings["user"],
        password=settings["password"],
        ca=settings["ca"],
        names=Names(node=settings["name"], discovery=settings["discovery"]),
    )


class Link:
    """A connection to a broker that is made anew when it is lost.

    ``on_ready`` is called when everything retained was read, and ``on_press`` with the topic and the text of a message
    to a button's topic. Both are called in paho's thread, and must return at once.
    """

    def __init__(self, broker: Broker, on_ready: Callable[[], None], on_press: Callable[[str, str], None]) -> None:
        self._names, self._on_ready, self._on_press = broker.names, on_ready, on_press
        self._lock = threading.Lock()
        self._retained: dict[str, str] = {}
        self._ready, self._hello, self._is_missed = False, "", False
        self._client = self._made(broker)
        self._client.connect_async(broker.host, broker.port, keepalive=KEEPALIVE_SECONDS)
        self._client.loop_start()

    def _made(self, broker: Broker) -> Client:
        client = _client()
        client.username_pw_set(broker.user, broker.password) if broker.user else None
        if broker.tls:
            try:
                client.tls_set(broker.ca or None)
            except OSError:
                raise SetupError(f"the file that BRIDGE_MQTT_CA names is no certificate; {AGAIN}") from None
        client.will_set(broker.names.status, OFFLINE, qos=1, retain=True)
        client.reconnect_delay_set(*RECONNECT_SECONDS)
        client.max_queued_messages_set(QUEUED_MAX)
        client.on_connect, client.on_disconnect = self._connected, self._disconnected
        client.on_subscribe, client.on_message = self._subscribed, self._received
        client.on_connect_fail = self._unanswered
        return client

    @property
    def is_ready(self) -> bool:
        """True while the broker is connected and everything that it retains was read."""
        return self._ready

    def retained(self) -> dict[str, str]:
        """Return topic -> text of what the broker retains under this installation's topics."""
        with self._lock:
            return dict(self._retained)

    def keep(self, topic: str, text: str) -> None:
        """Let the broker retain ``text`` under a topic, unless it retains the same text already.

        An empty text removes what is retained.
        """
        with self._lock:
            if self._retained.get(topic, "") == text:
                return
            self._retained[topic] = text
            if not text:
                del self._retained[topic]
        self._client.publish(topic, text, qos=1, retain=True)

    def tell(self, topic: str, text: str) -> None:
        """Send a text to those who listen to the topic now. The broker does not retain it."""
        self._client.publish(topic, text, qos=1)

    def close(self) -> None:
        """Say that the bridge is away, and end the connection, within about a second."""
        if self._client.is_connected():
            told = self._client.publish(self._names.status, OFFLINE, qos=1, retain=True)
            try:
                told.wait_for_publish(GOODBYE_SECONDS)
            except (RuntimeError, ValueError):  # the connection ended meanwhile, and the broker tells the last will
                log.info("the broker was gone before the goodbye")
        self._client.disconnect()
        self._client.loop_stop()

    def _connected(self, client: Client, _data: Any, _flags: Any, code: Any, _properties: Any) -> None:
        if code.is_failure:
            log.warning("the MQTT broker refuses the connection: %s", code)
            return
        self._is_missed = False
        with self._lock:
            self._retained.clear()
        own = f"{self._names.node}/#"
        client.subscribe([(own, 1), (self._names.config("+"), 1)])

    def _subscribed(self, client: Client, _data: Any, _number: Any, codes: Any, _properties: Any) -> None:
        """Send a message to ourselves. The broker delivers it after everything that it retains."""
        if any(code.is_failure for code in codes):
            log.warning("the MQTT broker does not let the bridge read its own topics")
        self._hello = secrets.token_hex(8)
        client.publish(self._names.hello, self._hello, qos=1)

    def _disconnected(self, _client: Client, _data: Any, _flags: Any, code: Any, _properties: Any) -> None:
        self._ready = False
        if code.is_failure:
            log.warning("the MQTT broker is away: %s", code)

    def _unanswered(self, _client: Client, _data: Any) -> None:
        """Log that the broker does not answer, only once until a connection succeeds."""
        if not self._is_missed:
            log.warning("the MQTT broker does not answer, or its certificate is not trusted; see: bridge doctor")
        self._is_missed = True

    def _received(self, client: Client, _data: Any, message: MQTTMessage) -> None:
        if len(message.payload) > PAYLOAD_MAX_BYTES:
            return
        text = message.payload.decode("utf-8", "replace")
        if message.retain:
            self._note(message.topic, text)
        elif message.topic == self._names.hello and text == self._hello:
            client.publish(self._names.status, ONLINE, qos=1, retain=True)
            self._ready = True
            self._on_ready()
        elif self._ready and message.topic.endswith("/answer"):
            self._on_press(message.topic, text)

    def _note(self, topic: str, text: str) -> None:
        with self._lock:
            if self._names.is_ours(topic) and topic != self._names.status and len(self._retained) < RETAINED_MAX:
                self._retained[topic] = text


def require_paho() -> None:
    """Raise SetupError if paho-mqtt is not installed."""
    if find_spec("paho") is None:
        raise SetupError("BRIDGE_MQTT_URL needs paho-mqtt: pip install '.[mqtt]', then: bridge doctor")


def _client() -> Client:
    require_paho()
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion

    return Client(CallbackAPIVersion.VERSION2)
