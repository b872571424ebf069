"""Put apps into categories by their names alone. Browsers count as no work, because their pages are not looked at."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import MappingProxyType

CODE, DOCUMENTS, DESIGN = "code", "documents", "design"
COMMUNICATION, BROWSING, MEDIA, OTHER, OWN = "communication", "browsing", "media", "other", "own"
WORK_KINDS = frozenset({CODE, DOCUMENTS, DESIGN, OWN})
APP_NAME_MAX = 100  # characters
ENDING = re.compile(r"(\.(exe|app|appimage|bin|desktop))$")
_NAMES = tomllib.loads(Path(__file__).with_name("apps.toml").read_text(encoding="utf-8"))
CATEGORIES = MappingProxyType(
    {" ".join(name.split()): category for category, text in _NAMES.items() for name in text.split(",")}
)


def plain(app: str) -> str:
    """Return an app's name in lower case, without the ending of its file and a number at its end.

    A hyphen or an underscore becomes a space. A number stays if the name with it is known. The first 100
    characters count.

    >>> plain("Code.exe"), plain("gnome-terminal-server"), plain("pycharm64.exe"), plain("Sublime_Text")
    ('code', 'gnome terminal server', 'pycharm', 'sublime text')
    """
    name = ENDING.sub("", app[:APP_NAME_MAX].strip().casefold())
    spaced = re.sub(r"[\s_-]+", " ", name).strip()
    return spaced if spaced in CATEGORIES else re.sub(r" ?\d+$", "", spaced)


def category(app: object, own: frozenset[str] = frozenset()) -> str:
    """Return an app's category by its name, such as "code", "own" for those in ``own``, or "other"."""
    if not isinstance(app, str):
        return OTHER
    name = plain(app)
    return OWN if name in own else CATEGORIES.get(name, OTHER)


def own_apps(setting: str) -> frozenset[str]:
    """Return the names of apps in a setting, which stand between commas, in the form that ``plain`` gives."""
    return frozenset(filter(None, (plain(name) for name in setting.split(","))))
