"""The settings of an MQTT broker, the connection to it in paho's thread, and the messages that it retains for us."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bridge import config, origin
from bridge.domain.errors import SetupError
from bridge.domain.records import User

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessage

    from bridge.installation import Bridge

log = logging.getLogger(__name__)

PORTS = {"mqtt": 1883, "mqtts": 8883}
RECONNECT_SECONDS = (1, 120)  # after a lost connection, doubling
KEEPALIVE_SECONDS = 60
RETAINED_MAX = 2000  # topics; a broker holds under twenty for each person
COMMANDS = (
    "/answer",
    "/set_mode",
    "/set_wish",
    "/set_because",
    "/confirm_wish",
    "/set_note",
)  # ends of the topics at which a person says something
PAYLOAD_MAX_BYTES = 65_536
QUEUED_MAX = 1000  # messages that wait while the broker is away
GOODBYE_SECONDS = 1.0
TOPIC_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
SHARE_CHOICES = ("no", "yes", "titles")
ONLINE, OFFLINE = "online", "offline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names that an installation uses at a broker, its own and the prefix of Home Assistant's discovery."""

    node: str
    discovery: str

    @property
    def status(self) -> str:
        """The topic that says whether the bridge is connected."""
        return f"{self.node}/status"

    @property
    def hello(self) -> str:
        """The topic of a message to the bridge itself. When it arrives, all retained messages have arrived before."""
        return f"{self.node}/hello"

    def device(self, user: User) -> str:
        """Return the id of a user's device, made from id and name, so that no new user gets a deleted user's device."""
        told = hashlib.blake2b(f"{user.id}/{user.name}".encode(), digest_size=6).hexdigest()
        return f"{self.node}_{told}"

    def config(self, device: str) -> str:
        return f"{self.discovery}/device/{device}/config"

    def topic(self, device: str, part: str) -> str:
        """Return the topic of a part of a device, such as the meter ``vitality`` or ``recommendation``."""
        return f"{self.node}/{device}/{part}"

    def is_ours(self, topic: str) -> bool:
        """Return True for a topic of this installation's retained messages, to which it alone publishes."""
        device = topic.removeprefix(f"{self.discovery}/device/").removesuffix("/config")
        is_device = re.fullmatch(rf"{self.node}_[0-9a-f]{{12}}", device) is not None
        return topic.startswith(f"{self.node}/") or (is_device and topic == self.config(device))


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
        raise SetupError("the host or port in BRIDGE_MQTT_URL is not valid; correct it, then: bridge doctor") from None
    if parts.scheme not in PORTS or not parts.hostname or parts.username is not None or parts.path not in ("", "/"):
        raise SetupError(
            "BRIDGE_MQTT_URL must look like mqtt://HOST:1883 or mqtts://HOST:8883, without a login or path; correct "
            "it, then: bridge doctor"
        )
    for name in ("name", "discovery"):
        if not TOPIC_NAME.fullmatch(settings[name]):
            raise SetupError(
                f"BRIDGE_MQTT_{name.upper()} must be 1 to 40 small letters, digits or _, the first a letter; correct "
                "it, then: bridge doctor"
            )
    return Broker(
        host=parts.hostname,
        port=port,
        tls=parts.scheme == "mqtts",
        user=settings["user"],
        password=settings["password"],
        ca=settings["ca"],
        names=Names(node=settings["name"], discovery=settings["discovery"]),
    )


def sharing(bridge: Bridge, users: Iterable[User]) -> Iterable[tuple[User, str]]:
    """Yield (user, "yes" or "titles") for each user who shows data there. Raises SetupError for other settings."""
    for user in users:
        share = bridge.settings_of(user, "mqtt", config.MQTT)["share"].strip().lower()
        if share not in SHARE_CHOICES:
            raise SetupError(
                f"BRIDGE_MQTT_SHARE (or share of {user.name} in config.toml) must be `no`, `yes` or `titles`; correct "
                "it, then: bridge doctor"
            )
        if share != "no":
            yield user, share


class Link:
    """A connection to a broker that reconnects by itself. Raises SetupError if it cannot be set up.

    ``on_ready`` and ``on_press(topic, text)`` run in paho's thread, and must return at once.
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
                raise SetupError(
                    "the file in BRIDGE_MQTT_CA is missing or holds no certificate; correct it, then: bridge doctor"
                ) from None
        client.will_set(broker.names.status, OFFLINE, qos=1, retain=True)
        client.reconnect_delay_set(*RECONNECT_SECONDS)
        client.max_queued_messages_set(QUEUED_MAX)
        client.on_connect, client.on_disconnect = self._connected, self._disconnected
        client.on_subscribe, client.on_message = self._subscribed, self._received
        client.on_connect_fail = self._unanswered
        return client

    @property
    def is_ready(self) -> bool:
        """True while the broker is connected and all of its retained messages were read."""
        return self._ready

    def retained(self) -> dict[str, str]:
        """Return topic -> text of the messages that the broker retains for this installation, without the status."""
        with self._lock:
            return dict(self._retained)

    def keep(self, topic: str, text: str) -> None:
        """Publish a retained message, unless the broker retains it already. An empty text removes it."""
        with self._lock:
            if self._retained.get(topic, "") == text:
                return
            self._retained[topic] = text
            if not text:
                del self._retained[topic]
        self._client.publish(topic, text, qos=1, retain=True)

    def tell(self, topic: str, text: str) -> None:
        """Publish a message to the present subscribers, which the broker does not retain."""
        self._client.publish(topic, text, qos=1)

    def close(self) -> None:
        """Publish that the bridge is offline, waiting at most a second, and end the connection."""
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
        """Publish a message to the bridge itself, which arrives after all retained messages."""
        if any(code.is_failure for code in codes):
            log.warning("the MQTT broker does not let the bridge read its own topics")
        self._hello = secrets.token_hex(8)
        client.publish(self._names.hello, self._hello, qos=1)

    def _disconnected(self, _client: Client, _data: Any, _flags: Any, code: Any, _properties: Any) -> None:
        self._ready = False
        if code.is_failure:
            log.warning("the MQTT broker is away: %s", code)

    def _unanswered(self, _client: Client, _data: Any) -> None:
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
        elif self._ready and message.topic.endswith(COMMANDS):
            self._on_press(message.topic, text)

    def _note(self, topic: str, text: str) -> None:
        with self._lock:
            if self._names.is_ours(topic) and topic != self._names.status and len(self._retained) < RETAINED_MAX:
                self._retained[topic] = text


def require_paho() -> None:
    """Raise SetupError if paho-mqtt is not installed."""
    if find_spec("paho") is None:
        raise origin.lacking("mqtt")


def _client() -> Client:
    require_paho()
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion

    return Client(CallbackAPIVersion.VERSION2)
