"""Settings: from ``BRIDGE_*`` variables, then ``config.toml`` in the bridge's folder, then defaults."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.errors import SetupError
from bridge.ports import ConnectorSpec, Setting

DIGITS = 5  # of a whole number: more days than that, calendars do not reach back


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What one installation is set to. ``sources`` holds the settings file's table per source or classifier."""

    folder: Path
    database: str
    key: str | None
    classifier: str
    policy: str
    explore: str
    quiet: str
    url: str | None  # where people reach the page from outside; without it nothing names an address of ours
    keep_raw: str
    sources: Mapping[str, Mapping[str, object]]

    @property
    def cache(self) -> Path:
        """Where plug-ins keep what they can do without; it goes when somebody is forgotten."""
        return self.folder / "cache"

    @property
    def adapters(self) -> Path:
        """Where people's own adapters of a language model are, in folders ``u<user>-v<number>``."""
        return self.folder / "adapters"

    @property
    def uploads(self) -> Path:
        """Where files that people send to the page are until they are imported, in folders ``<user>/<file>``."""
        return self.folder / "uploads"

    def inbox(self, user_id: int) -> Path:
        """Where what is sent for somebody waits until it has landed."""
        return self.folder / "pushes" / str(user_id)

    def of_person(self, user_id: int) -> list[Path]:
        """The folders that are one person's. On SQLite, the number may one day be another's."""
        return [self.inbox(user_id), self.uploads / str(user_id), *self.adapters.glob(f"u{user_id}-v*")]

    def of_source(self, spec: ConnectorSpec) -> dict[str, str]:
        """A source's settings by name; raises SetupError naming the variable that is missing."""
        return self.of_plugin(spec.name, spec.settings)

    def of_plugin(self, plugin: str, wanted: Sequence[Setting]) -> dict[str, str]:
        """The settings a plug-in wants, by name; raises SetupError naming the variable that is missing."""
        written = self.sources.get(plugin, {})
        found: dict[str, str] = {}
        for setting in wanted:
            variable = f"BRIDGE_{plugin}_{setting.name}".upper()
            value = os.environ.get(variable) or _as_text(written.get(setting.name)) or setting.default
            if value is None:
                raise SetupError(f"{plugin} needs {setting.help}: set {variable}, then: bridge doctor")
            if setting.whole and not (value.isascii() and value.isdigit() and len(value) <= DIGITS):
                number = f"a whole number of at most {DIGITS} digits"
                raise SetupError(f"{variable} ({setting.help}) is {number}; correct it, then: bridge doctor")
            found[setting.name] = value
        return found


def load() -> Settings:
    """Read the settings; a folder that does not exist yet is fine, an unreadable file is a SetupError."""
    folder = Path(os.environ.get("BRIDGE_HOME") or _default_folder())
    written = _read(folder / "config.toml")
    return Settings(
        folder=folder,
        database=_choose("DATABASE", written, f"sqlite:///{folder / 'bridge.db'}"),
        key=_choose("KEY", written, "") or None,
        classifier=_choose("CLASSIFIER", written, "linear"),
        policy=_choose("POLICY", written, "planner"),
        explore=_choose("EXPLORE", written, "0.1"),
        quiet=_choose("QUIET", written, "night"),
        url=_address(_choose("URL", written, "")),
        keep_raw=_choose("KEEP_RAW", written, "90"),
        sources={name: table for name, table in written.items() if isinstance(table, dict)},
    )


def _choose(name: str, written: Mapping[str, Any], default: str) -> str:
    return os.environ.get(f"BRIDGE_{name}") or _as_text(written.get(name.lower())) or default


def _address(text: str) -> str | None:
    """An address that others can open, or none."""
    if text and not text.startswith(("https://", "http://")):
        raise SetupError("BRIDGE_URL is the page's address from outside, e.g. https://bridge.example.org")
    return text or None


def _as_text(written: object) -> str:
    """A value of the settings file as a variable would hold it: 0 is a value, nothing is not."""
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
        raise SetupError(f"{path} cannot be read: {error}") from error
