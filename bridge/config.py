"""The settings of an installation: a ``BRIDGE_*`` variable, else ``config.toml`` in its folder, else the default."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from bridge.domain.errors import SetupError
from bridge.domain.ports import Setting
from bridge.http import egress

AT_ONCE_MAX = 1000
RATE_MAX = 10_000
WHOLE_NUMBER_MAX_DIGITS = 5  # of a whole number: more days than that, calendars do not reach back


ASK = (
    Setting(
        name="address",
        help="the address of a service that speaks OpenAI's chat completions, which plain questions that the grammar "
        "cannot read are sent to for translation (e.g. http://localhost:11434/v1); empty: none is",
        default="",
    ),
    Setting(
        name="model", help="the name of the model to ask, as the service at BRIDGE_ASK_ADDRESS knows it", default=""
    ),
    Setting(
        name="key", help="the API key of the service at BRIDGE_ASK_ADDRESS, if it asks for one", default="", secret=True
    ),
    Setting(name="timeout_s", help="the seconds that a translation may take", default="20"),
)

MQTT = (
    Setting(name="url", help="the MQTT broker: mqtt://HOST:1883, or mqtts://HOST:8883 with TLS", default=""),
    Setting(name="user", help="the login name at the broker", default=""),
    Setting(name="password", help="the password at the broker", default="", secret=True),
    Setting(
        name="ca",
        help="the file of the certificate that signed the broker's certificate, if no public authority did",
        default="",
    ),
    Setting(name="name", help="the bridge's name at the broker; two bridges need two", default="rhythm_bridge"),
    Setting(name="discovery", help="the prefix under which Home Assistant looks for devices", default="homeassistant"),
    Setting(
        name="share",
        help="`yes`: your meters and recommendation go to the broker; `titles`: the events of the slot too",
        default="no",
        personal=True,
    ),
)


def _setting(help: str, default: str = "", *, secret: bool = False) -> Any:  # noqa: A002 - as Setting calls it
    return field(metadata={"help": help, "default": default, "secret": secret})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of an installation, most of them as text that is parsed where it is used.

    ``sources`` maps each plug-in, and ``people``, to its table in ``config.toml``.
    """

    folder: Path
    database: str = _setting("the database: sqlite:///PATH or postgresql://HOST/NAME (default: a file in the folder)")
    key: str | None = _setting("the key that seals consents, or `keyring` (default: a file in the folder)", secret=True)
    classifier: str = _setting("the classifier that tells which action an event is", "linear")
    policy: str = _setting("the policy that recommends", "adaptive")
    explore: str = _setting("the share of recommendations drawn at random, from 0 to 0.2", "0.04")
    quiet: str = _setting(
        "the slots in which only sleep, meditation, me-time and planned actions are recommended, with commas between",
        "night",
    )
    url: str | None = _setting(  # where people reach the page from outside; without it nothing names an address of ours
        "the page's address from outside, with which links in notifications begin; empty: no links"
    )
    keep_raw: str = _setting("the days that raw records are kept after their last change", "90")
    at_once: Mapping[str, int] = _setting(  # source -> accounts synced at the same time, where the operator chose
        "the accounts of a source that are synced at the same time, by all processes together, e.g. "
        "whoop=32,garmin=8 (default: what the source names, mostly 4)",
    )
    rate: Mapping[str, float] = _setting(  # source -> requests a second of all its accounts, where the operator chose
        "the requests a second that a source is sent by all processes together, e.g. whoop=10,withings=2.5 "
        "(default: what the vendor allows, WHOOP 1.67 and Withings 2; the others name no number)",
    )
    backups: str = _setting("the folder for an encrypted backup every day; empty: none is made")
    backups_s3: str = _setting(
        "the bucket for an encrypted backup every day, at an S3-compatible address: https://HOST/BUCKET or "
        "https://HOST/BUCKET/FOLDER; empty: none is made",
    )
    backups_s3_key: str = _setting("the access key id for BRIDGE_BACKUPS_S3")
    backups_s3_secret: str = _setting("the secret access key for BRIDGE_BACKUPS_S3", secret=True)
    backups_s3_region: str = _setting("the region of the bucket in BRIDGE_BACKUPS_S3", "us-east-1")
    backup_keys: str = _setting("further public keys of age (age1...) that open the daily backups, with commas between")
    webhook: str = _setting(
        "the address of a program of yours that is told about each new and each done recommendation; empty: none"
    )
    webhook_secret: str = _setting("the secret that signs what is sent to BRIDGE_WEBHOOK", secret=True)
    webhook_titles: str = _setting("`yes`: what is sent to BRIDGE_WEBHOOK may hold titles and reasons")
    allow_hosts: frozenset[str] = _setting(  # inside the operator's network, that addresses people type may name
        "the hosts of your own network that typed addresses may lead to"
    )
    trusted_proxies: str = _setting("the proxies whose X-Forwarded-For is believed, as addresses or networks")
    user_header: str = _setting(
        "the header in which the trusted proxies name the user who logged in there, e.g. Remote-User"
    )
    oidc_issuer: str = _setting("the address of the OpenID Connect provider that people log in at")
    oidc_client_id: str = _setting("the client id that the OpenID Connect provider gave to the page")
    oidc_client_secret: str = _setting(
        "the client secret at the OpenID Connect provider; empty: a public client", secret=True
    )
    oidc_user_claim: str = _setting(
        "the claim of the OpenID Connect provider that holds the user's name here, e.g. preferred_username; "
        "empty: people link their login",
    )
    sources: Mapping[str, Mapping[str, object]]

    @property
    def cache(self) -> Path:
        """The folder of values that plug-ins can compute again. Deleting any user deletes the whole folder."""
        return self.folder / "cache"

    @property
    def adapters(self) -> Path:
        """The folder of language-model adapters tuned to single users, each in a folder ``u<user>-v<number>``."""
        return self.folder / "adapters"

    @property
    def uploads(self) -> Path:
        """The folder of files that users upload to the page, each in ``<user>/<file>``, until the file is imported."""
        return self.folder / "uploads"

    def inbox(self, user_id: int) -> Path:
        """Return the folder in which data that a user's phone apps have sent waits until it is imported."""
        return self.folder / "pushes" / str(user_id)

    def folders_of_user(self, user_id: int) -> list[Path]:
        """Return the folders of a user's files. Delete them with the user, because SQLite may reuse the number."""
        return [self.inbox(user_id), self.uploads / str(user_id), *self.adapters.glob(f"u{user_id}-v*")]

    def of_plugin(
        self,
        plugin: str,
        wanted: Sequence[Setting],
        *,
        person: str | None = None,
        is_alone: Callable[[], bool] = lambda: False,
        typed: Callable[[str], Mapping[str, str]] = lambda _: {},
    ) -> dict[str, str]:
        """Return name -> value of the settings ``wanted`` by a plug-in, those of ``person`` before the installation's.

        Raises SetupError naming every missing variable, or a ``whole`` setting that is no whole number.
        """
        found: dict[str, str] = {}
        missing: list[Setting] = []
        for setting in wanted:
            variable = variable_of(plugin, setting)
            given = self._of_person(plugin, setting, person, is_alone) if setting.personal else None
            value = (self.installed(plugin, setting) if given is None else given) or setting.default
            if value is None:
                value = typed(setting.shared or plugin).get(setting.name)
            if value is None:
                missing.append(setting)
                continue
            if setting.whole and not (value.isascii() and value.isdigit() and len(value) <= WHOLE_NUMBER_MAX_DIGITS):
                number = f"a whole number of at most {WHOLE_NUMBER_MAX_DIGITS} digits"
                raise SetupError(f"{variable} ({setting.help}) must be {number}; correct it, then: bridge doctor")
            found[setting.name] = value
        if missing:
            raise _missing(plugin, missing)
        return found

    def _of_person(self, plugin: str, setting: Setting, person: str | None, is_alone: Callable[[], bool]) -> str:
        own = _table(_table(_table(self.sources, "people"), person or ""), plugin)
        common = self.installed(plugin, setting)
        return _as_text(own.get(setting.name)) or (common if common and is_alone() else "")

    def installed(self, plugin: str, setting: Setting) -> str:
        """Return a plug-in's setting for the whole installation, or an empty text if it is not set."""
        for name in (plugin, setting.shared):
            written = _table(self.sources, name).get(setting.name) if name else None
            if value := (os.environ.get(variable_of(name, setting)) if name else "") or _as_text(written):
                return value
        return ""


INSTALLATION = tuple(Setting(name=one.name, **one.metadata) for one in fields(Settings) if one.metadata)


def _missing(plugin: str, settings: Sequence[Setting]) -> SetupError:
    """Return the error that names the environment variables of all missing settings."""
    what = " and ".join(setting.help for setting in settings)
    variables = " and ".join(variable_of(setting.shared or plugin, setting) for setting in settings)
    return SetupError(f"{plugin} needs {what}: set {variables}, then: bridge doctor")


def variable_of(plugin: str, setting: Setting) -> str:
    """Return the name of the environment variable of a plug-in's setting: ``BRIDGE_<PLUGIN>_<NAME>``."""
    return f"BRIDGE_{plugin}_{setting.name}".upper()


def _table(written: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = written.get(name)
    return found if isinstance(found, Mapping) else {}


def load() -> Settings:
    """Read the settings from the environment and ``config.toml``, which may be missing.

    Raises SetupError for an unreadable file or line, and for a BRIDGE_URL that is no web address.
    """
    folder = Path(os.environ.get("BRIDGE_HOME") or _default_folder())
    written = _read(folder / "config.toml")
    _refuse_unknown(written)
    chosen = {setting.name: _choose(setting, written) for setting in INSTALLATION}
    chosen["database"] = chosen["database"] or f"sqlite:///{folder / 'bridge.db'}"
    parsed: dict[str, Any] = {name: READERS.get(name, str)(text) for name, text in chosen.items()}
    return Settings(
        folder=folder,
        **parsed,
        sources={name: table for name, table in written.items() if isinstance(table, dict)},
    )


def _counts(text: str) -> Mapping[str, int]:
    numbers = _numbers(text)
    if not all(number.is_integer() and 1 <= number <= AT_ONCE_MAX for number in numbers.values()):
        raise SetupError(
            f"BRIDGE_AT_ONCE must name sources with numbers from 1 to {AT_ONCE_MAX}, e.g. whoop=32,garmin=8; "
            "correct it, then: bridge doctor"
        )
    return {name: int(number) for name, number in numbers.items()}


def _rates(text: str) -> Mapping[str, float]:
    numbers = _numbers(text)
    if not all(0 < number <= RATE_MAX for number in numbers.values()):
        raise SetupError(
            f"BRIDGE_RATE must name sources with requests a second, at most {RATE_MAX}, e.g. whoop=10,withings=2.5; "
            "correct it, then: bridge doctor"
        )
    return numbers


def _numbers(text: str) -> dict[str, float]:
    """Return source -> number from a text such as ``whoop=10,withings=2.5``. An invalid number becomes 0."""
    pairs = [part.partition("=") for part in text.replace(" ", "").split(",") if part]
    return {
        name: float(number) if name and re.fullmatch(r"\d+(\.\d+)?", number, re.ASCII) else 0.0
        for name, _, number in pairs
    }


READERS: Mapping[str, Callable[[str], Any]] = {
    "key": lambda text: text or None,
    "url": lambda text: _address(text),
    "at_once": _counts,
    "rate": _rates,
    "allow_hosts": egress.parse_hosts,
    "user_header": lambda text: text.strip().lower(),
    **dict.fromkeys(("oidc_issuer", "oidc_client_id", "oidc_client_secret", "oidc_user_claim"), str.strip),
}


def _refuse_unknown(written: Mapping[str, Any]) -> None:
    known = [setting.name for setting in INSTALLATION]
    for name, value in written.items():
        if not isinstance(value, dict) and name not in known:
            raise unknown_setting(f"{name} in config.toml", nearest(name, known))


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.0) -> str | None:
    """Return the name in ``known`` most like ``name``, with a likeness of at least ``cutoff`` (0 to 1), or None."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), n=1, cutoff=cutoff)), None)


def unknown_setting(what: str, near: str | None) -> SetupError:
    """Return the error for an unknown setting, named by ``what``. ``near`` is the nearest name, or None."""
    instead = f"did you mean {near}? Correct it" if near else "correct it"
    return SetupError(f"{what} is not a setting; {instead}, then: bridge doctor")


def _choose(setting: Setting, written: Mapping[str, Any]) -> str:
    found = os.environ.get(f"BRIDGE_{setting.name}".upper()) or _as_text(written.get(setting.name))
    return found or setting.default or ""


def _address(text: str) -> str | None:
    if text and not text.startswith(("https://", "http://")):
        raise SetupError(
            "BRIDGE_URL must be the address at which users reach the web page, e.g. https://bridge.example.org; "
            "correct it, then: bridge doctor"
        )
    return text or None


def _as_text(written: object) -> str:
    return "" if written is None else str(written)


def _default_folder() -> str:
    from platformdirs import user_data_dir

    return user_data_dir("rhythm-bridge")


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} cannot be read: {error}; correct the file, then: bridge doctor") from error


def local_zone() -> str:
    """Return the IANA name of this machine's time zone, or UTC if ``/etc/localtime`` names none."""
    target = Path("/etc/localtime").resolve().as_posix()
    _, found, name = target.partition("zoneinfo/")
    return name if found else "UTC"
