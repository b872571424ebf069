"""Render pages from templates. Every value is escaped, and an unknown name in a template is an error."""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from fastapi.responses import HTMLResponse
from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from bridge import config
from bridge.documents.text import writable
from bridge.domain.languages import Text, _, capital, current, date_text, joined, many, number, say, shown
from bridge.recordings.recorded_life import DEMO_USER
from bridge.web import next_steps, phrases

if TYPE_CHECKING:
    from bridge.web.state import Visit


WORDS_AS_ONE = re.compile(r"(?<=[a-z]{3})(?=[A-Z])")  # the place between them
INDENTED = re.compile(r"\n[ \t]+")
Link = tuple[str, str]  # address and title

# The sections of the navigation, each with its pages. The first page of a section opens it.
NAVIGATION: tuple[tuple[Link, ...], ...] = (
    (("/", say("Today")),),
    (("/week", say("Week")),),
    (("/review", say("Review")), ("/effects", say("Effects")), ("/history", say("History"))),
    (("/trends", say("Trends")), ("/ask", say("Ask")), ("/factors", say("Factors")), ("/belief", say("About me"))),
    (
        ("/settings", say("Settings")),
        ("/wishes", say("Wishes")),
        ("/entries", say("Entries")),
        ("/connections", say("Connections")),
    ),
)
WEB_FOLDER = Path(__file__).parent
STATIC_FOLDER = WEB_FOLDER / "static"
# The messages that scripts in ``bridge/web/static`` pass to their function ``_``.
SCRIPT_TEXTS: tuple[Text, ...] = (
    say("That did not work: {why}."),
    say("the bridge does not answer. Try again"),
    say("it is too large"),
    say("{name}: sending"),
    say("Sending {name}"),
    say("{name} was not accepted: {why}."),
    say("{name}: the connection broke off. Send it again."),
    say("Copied."),
    say("this browser may not show messages. Allow it for this page"),
    say("the bridge does not answer"),
    say("not known"),
    say("hours"),
    say("too many tries; wait {count} seconds"),
    say("load the page again"),
    say("it was cancelled, or there is no passkey for this page. Try again"),
    say("this device has a passkey for this page already. Log in with it"),
    say("nothing planned"),
    say("The data did not come. Load the page again."),
    say("Showing {from} to {to}."),
    say("workout"),
    say("entry"),
    say("zone"),
)


@cache
def static_file(name: str) -> bytes:
    """Return a static file as it was when the server began, even if the package has been replaced since."""
    return (STATIC_FOLDER / name).read_bytes()


@cache
def packed_file(name: str) -> bytes:
    """Return a static file in gzip. Pages are never compressed, because their length could reveal their tokens."""
    return gzip.compress(static_file(name), mtime=0)


@cache
def static_url(name: str) -> str:
    """Return the URL of a static file. It changes with the file's content, so that browsers may cache the file."""
    return f"/static/{name}?{hashlib.sha256(static_file(name)).hexdigest()[:12]}"


def keep_files() -> frozenset[str]:
    """Read all static files and templates into memory, and return the names of the static files."""
    templates()
    names = frozenset(path.name for path in STATIC_FOLDER.iterdir() if path.is_file())
    for name in names:
        static_file(name)
    return names


@cache
def templates() -> Environment:
    """Return the template environment with the functions that templates may call."""
    folder = WEB_FOLDER / "templates"
    texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.*")}
    texts = {name: INDENTED.sub("\n", text) for name, text in texts.items()}  # a seventh of what is sent
    environment = Environment(loader=DictLoader(texts), autoescape=True, undefined=StrictUndefined, auto_reload=False)
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.globals |= {"static": static_url, "navigation": NAVIGATION, "action_name": phrases.action_name}
    environment.globals |= {"label_words": phrases.label_words, "unread": phrases.unread}
    environment.globals |= {"meter_name": phrases.meter_name, "meter_word": phrases.meter_word}
    environment.globals |= {"_": _, "html": _markup, "joined": joined, "many": many, "number": number, "shown": shown}
    environment.globals |= {"language": current, "script_words": script_words}
    environment.globals |= {"demo_user": DEMO_USER, "source_title": lambda spec: phrases.source_name(spec.title)[0]}
    environment.globals["abroad"] = _abroad
    environment.filters |= {
        "breakable": breakable,
        "shown": shown,
        "text": writable,
        "sentence": phrases.sentence,
        "capital": capital,
    }
    environment.filters |= {"meter_word": phrases.meter_word, "with_links": next_steps.with_links}
    environment.filters |= {"without_commands": next_steps.without_commands, "step_links": next_steps.step_links}
    return environment


def _markup(message: str, /, **values: object) -> Markup:
    return Markup(_(message)).format(**values)  # noqa: S704 - the message is ours or a catalogue's


def _abroad(visit: Visit) -> dict[str, str] | None:
    """Return place and time of a user whose time zone differs from this machine's, else None."""
    at = visit.local(visit.now)
    if at.utcoffset() == visit.now.astimezone(ZoneInfo(config.local_zone())).utcoffset():
        return None
    place = str(at.tzinfo).rpartition("/")[2].replace("_", " ")
    return {"place": place, "time": date_text(at, "%A, %H:%M")}


def breakable(title: str) -> Markup:
    """Return a title that may be broken between its words, also where these are written as one.

    >>> breakable("ActivityWatch"), breakable("iCloud <b>")
    (Markup('Activity<wbr>Watch'), Markup('iCloud &lt;b&gt;'))
    """
    return Markup("<wbr>").join(WORDS_AS_ONE.split(title))


def page(template: str, visit: Visit | None, *, status: int = 200, path: str = "", **context: Any) -> HTMLResponse:
    """Render a template, which is a whole page or a part for htmx, with the values of ``context``.

    ``visit`` is None without a login. ``path`` marks the current page in the navigation.
    """
    return HTMLResponse(part(template, visit, path=path, **context), status_code=status)


def part(template: str, visit: Visit | None, *, path: str = "", **context: Any) -> Markup:
    """Render a template as ``page`` does, for use within another template."""
    section = next((pages for pages in NAVIGATION if path in dict(pages)), ())
    shared: dict[str, Any] = {"visit": visit, "csrf": visit.csrf if visit else "", "path": path, "section": section}
    return Markup(templates().get_template(template).render(shared | context))  # noqa: S704 - the template escapes


def script_words() -> dict[str, str]:
    """Return message -> its translation into the current language, for the page's scripts."""
    return {str(word): shown(word) for word in SCRIPT_TEXTS}
