"""The texts of the surfaces in other languages than English, and the language that each surface speaks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from io import BytesIO
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

import bridge
from bridge import installation
from bridge.advice.wishing import say_wish
from bridge.domain import languages
from bridge.domain.errors import SetupError
from bridge.domain.languages import accepted, date_text, listed, plain, say, say_many, shown, speaking, text_of, told
from bridge.domain.records import User
from bridge.domain.sport_names import sport_name
from bridge.store.preferences import preferences_of
from bridge.web import render
from tests.web.conftest import ana, place, visitor
from tests.web.served import Place, Visitor

__all__ = ["ana", "place", "visitor"]

ROOT = Path(bridge.__file__).parents[1]
LOCALE = ROOT / "bridge" / "locale"
TEMPLATE = LOCALE / "bridge.pot"
CATALOGUES = sorted(LOCALE.glob("*/LC_MESSAGES/bridge.po"))
GERMAN = LOCALE / "de" / "LC_MESSAGES" / "bridge.po"
SAME = {"Accept-Language": "de"}


def _read(file: Path) -> Catalog:
    with file.open("rb") as opened:
        return read_po(opened, locale=None if file.suffix == ".pot" else file.parents[1].name)


def _messages(catalogue: Catalog) -> Iterator[Message]:
    return (one for one in catalogue if one.id)


def _key(one: Message) -> tuple[str | None, str | tuple[str, ...]]:
    return one.context, tuple(one.id) if isinstance(one.id, list | tuple) else one.id


def _texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _placeholders(text: str) -> set[tuple[str, str]]:
    """Names with their formats. The order of day and month within a date is a language's own."""
    found = ((name, spec or "") for _, name, spec, _ in Formatter().parse(text) if name)
    return {(name, "date" if "%" in spec and not spec.endswith("%") else spec) for name, spec in found}


def complaints(catalogue: Catalog, template: Catalog) -> list[str]:
    """Return the messages that are missing, fuzzy, left over, or have other placeholders than the English."""
    wanted = {_key(one) for one in _messages(template)}
    found = {_key(one): one for one in _messages(catalogue)}
    said = [f"missing: {key}" for key in wanted - found.keys()] + [f"left over: {key}" for key in found.keys() - wanted]
    for one in found.values():
        strings, originals = _texts(one.string), _texts(one.id)
        if not all(strings) or len(strings) != (catalogue.num_plurals if one.pluralizable else 1):
            said.append(f"not translated: {one.id}")
        elif one.fuzzy:
            said.append(f"fuzzy: {one.id}")
        elif any(_placeholders(text) not in map(_placeholders, originals) for text in strings):
            said.append(f"other placeholders: {one.id}")
    return said + [f"refused by pybabel: {one.id}: {error}" for one, errors in catalogue.check() for error in errors]


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parents[1].name)
def test_every_message_is_translated(file: Path) -> None:
    assert complaints(_read(file), _read(TEMPLATE)) == []


def test_a_missing_translation_is_told() -> None:
    catalogue, template = _read(GERMAN), _read(TEMPLATE)
    catalogue.get("Accept").string = ""
    catalogue.get("it is due in {days} days").string = "in {tagen} Tagen fällig"
    catalogue.get("Later").flags.add("fuzzy")
    catalogue.delete("Today")
    catalogue.add("Yesterday", "Gestern")
    assert sorted(complaints(catalogue, template)) == [
        "fuzzy: Later",
        "left over: (None, 'Yesterday')",
        "missing: (None, 'Today')",
        "not translated: Accept",
        "other placeholders: it is due in {days} days",
    ]


# A form that addresses a stranger, by language. Words in quotation marks are names on a vendor's own page.
QUOTED = re.compile(r"«.*?»|„.*?“")
FORMAL = {
    "fr": re.compile(
        r"(?i)(?<!rendez-)\b(?:vous|votre|vos|vôtres?|êtes|veuillez)\b"
        r"|\b(?!(?:assez|chez|nez|rez|rendez|riz|rendez(?=-vous))\b)\w+ez\b"
        r"|(?:^|[.;:!?] ?)(?:dites|faites)\b|\b(?:dites|faites)-"
    ),
    "de": re.compile(r"(?<![.:!?>] )(?<!^)\b(?:Sie|Ihnen|Ihre?[mnrs]?)\b|^\w+en Sie\b|[.:;!?] \w+en Sie\b"),
}


def formal(text: str, language: str) -> list[str]:
    found = FORMAL[language].finditer(QUOTED.sub("", text))
    return [one[0] for one in found]


@pytest.mark.parametrize("language", FORMAL)
def test_a_language_says_tu_and_du_everywhere(language: str) -> None:
    catalogue = _read(LOCALE / language / "LC_MESSAGES" / "bridge.po")
    found = [
        (text, said) for one in _messages(catalogue) for text in _texts(one.string) if (said := formal(text, language))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("language", "text", "is_formal"),
    [
        ("fr", "Découvrez une personne inventée", True),
        ("fr", "un souhait de trop ; dites lequel", True),
        ("fr", "Ce que vous avez noté", True),
        ("fr", "à votre sujet", True),
        ("fr", "assez tôt, chez toi, avant ton rendez-vous", False),
        ("fr", "les tâches faites et les choses dites", False),
        ("fr", "Gestion des données, « Exporter vos données »", False),
        ("de", "Öffnen Sie die Seite", True),
        ("de", "Deine Daten. Wählen Sie eine Datei", True),
        ("de", "wenn Ihre Uhr misst", True),
        ("de", "Die Zahl ist klein. Sie ändert nichts.", False),
        ("de", "Ihre Daten werden gelöscht", False),
    ],
)
def test_a_formal_address_is_told_from_a_name_and_a_thing(language: str, text: str, is_formal: bool) -> None:
    assert bool(formal(text, language)) == is_formal


def _extracted(folder: Path, roots: list[str]) -> set[tuple[str | None, str | tuple[str, ...]]]:
    """The messages of the sources, taken by the options of ``make languages``."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    options = re.search(r"^MESSAGES := ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)
    assert options
    made = folder / "bridge.pot"
    pybabel = [sys.executable, "-m", "babel.messages.frontend", "--quiet", "extract"]
    words = options[1].replace("\\\n", " ").split()
    command = [*pybabel, *words, "--output-file", str(made), *roots]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return {_key(one) for one in _messages(_read(made))}


def test_the_template_holds_the_messages_of_the_sources(tmp_path: Path) -> None:
    kept = {_key(one) for one in _messages(_read(TEMPLATE))}
    assert _extracted(tmp_path, ["."]) == kept, "run: make languages"


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parents[1].name)
def test_the_compiled_catalogue_is_that_of_its_source(file: Path) -> None:
    made = BytesIO()
    write_mo(made, _read(file))
    assert file.with_suffix(".mo").read_bytes() == made.getvalue(), "run: make languages"


def test_the_scripts_say_nothing_but_what_is_translated() -> None:
    scripts = (ROOT / "bridge/web/static").glob("*.js")
    said = [
        re.findall(r'\b_\("([^"]+)"', one.read_text(encoding="utf-8")) for one in scripts if ".min." not in one.name
    ]
    words = {str(one) for one in render.SCRIPT_TEXTS}
    assert {text for texts in said for text in texts} <= words
    with speaking("de"):
        assert render.script_words()["Copied."] == "Kopiert."


def test_a_further_language_is_one_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(LOCALE / "de", tmp_path / "nl")
    monkeypatch.setattr(languages, "FOLDER", tmp_path)
    languages.languages.cache_clear()
    languages._catalogue.cache_clear()
    try:
        assert dict(languages.languages()) == {"en": "English", "nl": "Deutsch"}
        assert accepted("nl-BE, en;q=0.5") == "nl"
    finally:
        monkeypatch.undo()
        languages.languages.cache_clear()
        languages._catalogue.cache_clear()


def test_texts_are_english_for_programs_and_german_for_germans() -> None:
    last = say("the last time was {days} days ago ({title})", days=3, title="{yoga}")
    text = say("{last}, and you usually do it {often}", last=last, often=say("twice a week"))
    assert text == "the last time was 3 days ago ({yoga}), and you usually do it twice a week"
    assert json.loads(json.dumps([text])) == [str(text)]
    with speaking("de"):
        assert shown(text) == "das letzte Mal war vor 3 Tagen ({yoga}), und du machst es meist zweimal pro Woche"
        assert shown(say_many("{count} day ago", "{count} days ago", 1)) == "vor 1 Tag"
        assert shown(say("{steps:,.0f} steps yesterday, {compared}", steps=12345.6, compared="")) == (
            "gestern 12.346 Schritte, "
        )
        assert shown(say("{share:.0%} sure", share=0.756)) == "zu 76\xa0% sicher"
        assert date_text(date(2026, 3, 2), "%A, %-d %B %Y") == "Montag, 2. März 2026"
        assert shown("a title of the calendar") == "a title of the calendar"
    assert date_text(date(2026, 3, 2), "%A, %-d %B %Y") == "Monday, 2 March 2026"


def test_french_is_one_file_and_says_which_languages_it_is_asked_in(visitor: Visitor, place: Place, ana: User) -> None:
    assert languages.languages()["fr"] == "Français"
    french = {"Accept-Language": "fr-CA, en;q=0.5"}
    assert '<html lang="fr">' in visitor.get("/settings", headers=french).text
    with speaking("fr"):
        assert shown(say_many("{count} day ago", "{count} days ago", 0)) == "il y a 0 jour"
        steps = say("{steps:,.0f} steps yesterday, {compared}", steps=12345.6, compared="")
        assert shown(steps) == "12\u202f346 pas hier, "
        assert shown(say("{share:.0%} sure", share=0.756)) == "sûr à 76\u202f%"
        assert date_text(date(2026, 3, 2), "%A, %-d %B %Y") == "lundi 2 mars 2026"
    for asked in (
        "combien de pas hier ?",
        "combien de sommeil profond en octobre ?",
        "combien de workouts la semaine passée ?",
        "steps dans la dernière semaine",
        "HRV moyenne par mois",
    ):
        refused = visitor.get("/ask", params={"text": asked}, headers=french)
        assert refused.status_code == 400, asked
        told_so = refused.text.split('role="alert"')[1].split("</section>")[0]
        assert "en anglais ou en allemand" in told_so
        (example,) = re.findall(r'href="(/ask\?text=[^"]+)"', told_so)
        assert visitor.get(example, headers=french).status_code == 200, example
    for wish in ("pas de sport avant 9 h", "courir trois fois par semaine", "le dimanche en famille"):
        with pytest.raises(SetupError) as error:
            say_wish(place.bridge.store, ana, wish, confirmed=True, now=installation.now())
        with speaking("fr"):
            assert "en anglais ou en allemand" in told(error.value)


def test_texts_survive_the_store_as_json() -> None:
    texts = [
        say("it is due in {days} days", days=3),
        say(
            "ignored {times} times in a row on {slots}, it rests until {ends:%d %b}",
            times=3,
            slots=say("nights"),
            ends=date(2026, 5, 2),
        ),
        listed([say("breathing faster"), say("skin warmer"), say("recovery down")]),
        "for: {braces}",
    ]
    again = [text_of(json.loads(json.dumps(plain(one)))) for one in texts]
    assert again == texts
    with speaking("de"):
        assert [shown(one) for one in again] == [
            "in 3 Tagen fällig",
            "nachts 3-mal in Folge übergangen, ruht bis 02. Mai",
            "Atmung schneller, Haut wärmer, Erholung gesunken",
            "for: {braces}",
        ]


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en-GB,en;q=0.9,de;q=0.8", "en"),
        ("nl, de;q=0.5", "de"),
        ("nl", "en"),
        ("fr-CA, en;q=0.5", "fr"),
        ("de;q=0", "en"),
        ("de;q=x, ", "en"),
        ("de;q=1," * 10_000, "de"),
    ],
)
def test_the_language_that_a_browser_likes_best(header: str, language: str) -> None:
    assert accepted(header) == language


def test_the_setting_outranks_the_browser_and_programs_read_english(visitor: Visitor, place: Place, ana: User) -> None:
    assert '<html lang="en">' in visitor.get("/settings").text
    german = visitor.get("/settings", headers=SAME).text
    assert '<html lang="de">' in german
    assert "Einstellungen" in german
    visitor.change("/settings/language", {"language": "de"})
    assert place.bridge.store.people.language(ana.id) == "de"
    assert '<html lang="de">' in visitor.get("/week", headers={"Accept-Language": "en"}).text
    programs = visitor.get("/api/v1/recommendation", headers=SAME).json()["reasons"]
    assert programs
    with speaking("en"):
        assert not any("heute" in reason or "Uhr" in reason for reason in programs)
    visitor.change("/settings/language", {"language": ""})
    assert '<html lang="en">' in visitor.get("/week").text


def test_dates_of_other_years_tell_their_year() -> None:
    day, text = date(2025, 1, 24), say("until {day:%-d %B}, {iso}", day=date(2025, 1, 24), iso=date(2026, 1, 2))
    for language, dated in (("en", "24 January 2025"), ("de", "24. Januar 2025"), ("fr", "24 janvier 2025")):
        with speaking(language, 2026):
            assert date_text(day, "%-d %B") == dated
            assert shown(text).endswith("2025, 2026-01-02")
        with speaking(language, 2025):
            assert f"{date_text(day, '%-d %B')} 2025" == dated


def test_an_unknown_language_is_refused(visitor: Visitor, place: Place, ana: User) -> None:
    answer = visitor.change("/settings/language", {"language": "xx"})
    assert answer.status_code == 400
    assert place.bridge.store.people.language(ana.id) is None


def test_a_refusal_is_told_in_the_page_s_language(visitor: Visitor) -> None:
    visitor.change("/settings/language", {"language": "de"})
    assert "das ist hier nicht bekannt" in visitor.get("/begin/nothing").text


def test_the_language_is_kept_beside_the_order_of_sources(place: Place, ana: User) -> None:
    people, now = place.bridge.store.people, installation.now()
    people.prefer_sources(ana.id, ["whoop", "garmin"], now=now)
    people.set_language(ana.id, "de", now=now)
    assert people.preferred_sources(ana.id) == ("whoop", "garmin")
    people.prefer_sources(ana.id, [], now=now)
    assert people.language(ana.id) == "de"
    assert preferences_of('["whoop"]').sources == ("whoop",)  # as earlier versions wrote it


@pytest.mark.parametrize(
    ("sport", "wanted"),
    [
        ("indoor_climbing", "Hallenklettern"),
        ("HKWorkoutActivityTypeJumpRope", "Seilspringen"),
        ("kayaking", "Kajakfahren"),
        ("horseback-riding", "Reiten"),
    ],
)
def test_the_sport_that_a_watch_tells_is_named_in_german(sport: str, wanted: str) -> None:
    with speaking("de"):
        assert shown(sport_name(sport)) == wanted
