"""Texts that can be shown in the reader's language, as messages with named values and gettext catalogues."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime
from functools import cache
from gettext import GNUTranslations, NullTranslations, translation
from pathlib import Path
from re import sub
from string import Formatter
from typing import Any

FOLDER = Path(__file__).parent.parent / "locale"
DOMAIN, ENGLISH = "bridge", "en"
PARTS = ("message", "many", "values")  # of a text
PACKED_TEXT = '{"text": '  # the begin of a packed text
HEADER_MAX_CHARS = 200  # of Accept-Language

_current: ContextVar[str] = ContextVar("language", default=ENGLISH)
_year: ContextVar[int | None] = ContextVar("year", default=None)


class Text(str):
    """An English text that keeps its message and values, so that it can be shown in another language.

    ``many`` is the message for the plural by the value ``count``, or None for a text without a plural.
    """

    __slots__ = PARTS
    message: str
    many: str | None
    values: Mapping[str, Any]

    def __new__(cls, message: str, many: str | None, values: Mapping[str, Any]) -> Text:
        chosen = message if many is None or values["count"] == 1 else many
        text = super().__new__(cls, _filled(chosen, values, ENGLISH))
        text.message, text.many, text.values = message, many, values
        return text

    def __reduce__(self) -> tuple[type[Text], tuple[str, str | None, dict[str, Any]]]:
        return Text, (self.message, self.many, dict(self.values))

    def __str__(self) -> str:
        return "".join(self)

    def in_language(self, language: str) -> str:
        """Return the text in a language, or in English if the language's catalogue lacks the message.

        Raises OSError for a language without a catalogue.
        """
        catalogue = _catalogue(language)
        if self.many is None:
            found = _translated(self.message, catalogue)
        else:
            count = self.values["count"]
            found = catalogue.ngettext(self.message, self.many, int(count) if count == int(count) else int(count) + 2)
        return _filled(found, self.values, language)


def say(message: str, /, **values: Any) -> Text:
    """Return a text that ``shown`` can translate later. ``values`` fill the message's placeholders by name.

    >>> say("due in {days} days", days=3)
    'due in 3 days'
    """
    return Text(message, None, values)


def say_many(one: str, many: str, count: float, /, **values: Any) -> Text:
    """Return a text that ``shown`` can translate later, with the message ``one``, or ``many`` unless ``count`` is 1.

    >>> say_many("{count} day", "{count} days", 1), say_many("{count} day", "{count} days", 2)
    ('1 day', '2 days')
    """
    return Text(one, many, {"count": count, **values})


def listed(texts: Sequence[str]) -> str:
    """Return texts as a single text with commas that ``shown`` can translate later, or "" for none.

    >>> listed(["a", "b", "c"]), listed(["a"]), listed([])
    ('a, b, c', 'a', '')
    """
    if len(texts) < 2:
        return texts[0] if texts else ""
    return say("{first}, {rest}", first=texts[0], rest=listed(texts[1:]))


def joined(names: Sequence[str]) -> str:
    """Return names as a list in the current language, with the word for "and" before the last, or "" for none.

    >>> joined(["a", "b", "c"]), joined(["a"])
    ('a, b and c', 'a')
    """
    if len(names) < 2:
        return "".join(names)
    return _("{first} and {last}", first=", ".join(names[:-1]), last=names[-1])


def shown(text: str) -> str:
    """Return a text in the current language. A string that is no ``Text`` is returned unchanged."""
    return text.in_language(_current.get()) if isinstance(text, Text) else text


def _(message: str, /, **values: Any) -> str:
    return _filled(_translated(message, _catalogue(_current.get())), values, _current.get())


def many(one: str, several: str, count: float, /, **values: Any) -> str:
    """Return the message ``one``, or ``several`` unless ``count`` is 1, in the current language.

    ``values`` fill the placeholders by name, as ``count`` fills ``{count}``.
    """
    return shown(say_many(one, several, count, **values))


def reason(error: Exception) -> Text:
    """Return an error's message as a text that ``shown`` can translate later."""
    told = error.args[0] if error.args else ""
    return told if isinstance(told, Text) else say(str(error))


def told(error: Exception) -> str:
    """Return an error's message in the current language."""
    return shown(reason(error))


def current() -> str:
    return _current.get()


def speak(language: str | None) -> None:
    """Show texts in a language from now on, in the present thread or task. Unknown languages and None mean English."""
    _current.set(_known(language))


def _known(language: str | None) -> str:
    return language if language is not None and language in languages() else ENGLISH


@contextmanager
def speaking(language: str | None, year: int | None = None) -> Iterator[None]:
    """Show texts in a language during a ``with`` block. An unknown language, or None, counts as English.

    If ``year`` is given, dates of any other year are shown with their year.
    """
    before, year_before = _current.set(_known(language)), _year.set(year)
    try:
        yield
    finally:
        _current.reset(before)
        _year.reset(year_before)


@cache
def languages() -> Mapping[str, str]:
    """Return language code -> the language's own name, such as ``de`` -> Deutsch. English comes first, then by code."""
    found = sorted(place.parent.parent.name for place in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    english = say("English")  # a catalogue translates it by the name of its own language
    return {ENGLISH: str(english)} | {language: english.in_language(language) for language in found}


def accepted(header: str) -> str:
    """Return the language that a browser's ``Accept-Language`` likes best, among those with a catalogue and English.

    Of equally liked languages the first is returned. Returns English if the header likes none of them. Only its first
    200 characters are read.

    >>> accepted("xx-CH, en;q=0.3"), accepted("")
    ('en', 'en')
    """
    liked: list[tuple[float, int, str]] = []
    for place, part in enumerate(header[:HEADER_MAX_CHARS].split(",")):
        tag, _sep, quality = part.strip().partition(";q=")
        language = tag.partition("-")[0].lower()
        if language in languages():
            liked.append((-_number(quality), place, language))
    wanted = [one for one in liked if one[0] < 0]
    return min(wanted)[2] if wanted else ENGLISH


def _number(quality: str) -> float:
    try:
        return float(quality) if quality else 1.0
    except ValueError:
        return 0.0


def plain(value: Any) -> Any:
    if isinstance(value, Text) and value.values:
        return _packed(value)
    return str(value) if isinstance(value, str) else value


def _packed(text: Text) -> dict[str, Any]:
    values = {name: _packed_value(value) for name, value in text.values.items()}
    return {"text": str(text), "message": text.message, "many": text.many, "values": values}


def _packed_value(value: Any) -> Any:
    if isinstance(value, Text):
        return _packed(value)
    return {"date": value.isoformat()} if isinstance(value, date) else value


def text_of(body: Any) -> Text:
    if not isinstance(body, dict):
        return say(str(body))
    return Text(body["message"], body["many"], {name: _value_of(one) for name, one in body["values"].items()})


def _value_of(body: Any) -> Any:
    if not isinstance(body, dict):
        return body
    return datetime.fromisoformat(body["date"]) if "date" in body else text_of(body)


def packed(text: str | None) -> str | None:
    """Return a text as a string from which ``unpacked`` restores it with message and values. None stays None."""
    if not isinstance(text, Text) or not text.values:
        return None if text is None else str(text)
    return json.dumps(_packed(text))


def unpacked(kept: str | None) -> Text | None:
    """Return the text that ``packed`` turned into a string. Any other string becomes a message without values."""
    if kept is None:
        return None
    return text_of(json.loads(kept)) if kept.startswith(PACKED_TEXT) else say(kept)


@cache
def _catalogue(language: str) -> NullTranslations:
    if language == ENGLISH:
        return NullTranslations()
    found: GNUTranslations = translation(DOMAIN, FOLDER, [language])
    return found


def _translated(message: str, catalogue: NullTranslations) -> str:
    """Return a translated message. The empty message stays empty, because gettext would return a header."""
    return catalogue.gettext(message) if message else ""


def number(value: float, spec: str = "") -> str:
    """Return a number as text in the current language. ``spec`` is as for ``format``."""
    language = _current.get()
    return format(value, spec) if language == ENGLISH else _Filling(language).format_field(value, spec)


def date_text(at: date, pattern: str) -> str:
    """Return a date or time as text in the current language. ``pattern``, as for strftime, is translated as well."""
    language = _current.get()
    return _Filling(language).format_field(at, _translated(pattern, _catalogue(language)))


def _filled(message: str, values: Mapping[str, Any], language: str) -> str:
    """Return a message filled with values. English without dates takes a fast path, for charts with many texts."""
    if not values:
        return message
    short = language == ENGLISH and not any(isinstance(value, date) for value in values.values())
    return message.format_map(values) if short else _Filling(language).vformat(message, (), values)


class _Filling(Formatter):
    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Text):
            return value.in_language(self._language)
        if isinstance(value, date):
            return self._dated(value, format_spec)
        told = format(value, format_spec)
        return self._number(told) if isinstance(value, int | float) and self._language != ENGLISH else told

    def _number(self, told: str) -> str:
        catalogue = _catalogue(self._language)
        point = catalogue.pgettext("decimal point", ".")
        thousands = catalogue.pgettext("thousands separator", ",")
        percent = catalogue.pgettext("per cent sign after a number", "%")
        return told.translate({ord("."): point, ord(","): thousands, ord("%"): percent})

    def _dated(self, at: date, pattern: str) -> str:
        if not pattern:
            return str(at)
        if _year.get() not in (None, at.year) and "%Y" not in pattern:
            pattern = sub("(%[bB])", r"\1 %Y", pattern)
        names = {
            "%A": WEEKDAYS[at.weekday()],
            "%a": SHORT_WEEKDAYS[at.weekday()],
            "%B": MONTHS[at.month - 1],
            "%b": SHORT_MONTHS[at.month - 1],
        }
        for sign, name in names.items():
            pattern = pattern.replace(sign, name.in_language(self._language))
        return at.strftime(pattern.replace("%-d", str(at.day)))


WEEKDAYS = (
    say("Monday"),
    say("Tuesday"),
    say("Wednesday"),
    say("Thursday"),
    say("Friday"),
    say("Saturday"),
    say("Sunday"),
)
SHORT_WEEKDAYS = (say("Mon"), say("Tue"), say("Wed"), say("Thu"), say("Fri"), say("Sat"), say("Sun"))
MONTHS = (
    say("January"),
    say("February"),
    say("March"),
    say("April"),
    say("May"),
    say("June"),
    say("July"),
    say("August"),
    say("September"),
    say("October"),
    say("November"),
    say("December"),
)
SHORT_MONTHS = (
    say("Jan"),
    say("Feb"),
    say("Mar"),
    say("Apr"),
    say("May"),
    say("Jun"),
    say("Jul"),
    say("Aug"),
    say("Sep"),
    say("Oct"),
    say("Nov"),
    say("Dec"),
)


def plural(count: int, noun: str) -> str:
    """Return a count with its English noun, in the plural unless the count is 1.

    >>> plural(1, "task"), plural(2, "task")
    ('1 task', '2 tasks')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def capital(text: str) -> str:
    """Return a text with a capital letter at its beginning. The rest is unchanged.

    >>> capital("about your usual"), capital("")
    ('About your usual', '')
    """
    return text[:1].upper() + text[1:]
