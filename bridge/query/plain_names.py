"""Leave out the names of times whose dates follow, and what a date was the beginning of, in plain questions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib import resources

from bridge.domain.phrases import WEEKDAYS
from bridge.query.model import TITLED
from bridge.query.plain_kinds import FACTOR
from bridge.query.plain_words import CLASS_NAMES, lexicon, months, vocabulary
from bridge.query.span_patterns import HOLIDAYS, MONTHS, SEASONS

TOLD = tomllib.loads((resources.files("bridge.query") / "plain_names.toml").read_text(encoding="utf-8"))


def _written(pattern: str) -> str:
    """Return a pattern with each name in capitals replaced by its text."""
    words: Mapping[str, str] = TOLD["words"]
    return re.sub("|".join(words), lambda found: _written(words[found[0]]), pattern)


ON = r"(?:since|from|seit|ab) "
SMALL = frozenset(TOLD["small"].split())
NO_NAMES = frozenset(TOLD["no_names"].split())
ASIDE = re.compile(_written(TOLD["aside"]))
NOTED, TITLES = ([_written(one) for one in TOLD[name]] for name in ("noted", "titles"))
MARKS = _written("MARKS")
BEHIND = _written("BEHIND")
ONE_WORD = {one for one in CLASS_NAMES if " " not in one}
_DAYS = re.compile(r"(?:days?|nights?|evenings?|tage?n?|nächten?|abende?n?)$")


def noted(text: str) -> tuple[str, list[str]]:
    """Return a question without remarks on how something is noted, and the names of the notes or titles in it."""
    text, names = text.lower(), list[str]()
    while aside := ASIDE.search(text):
        name = aside["quoted"] or aside["bare"]
        names.append(name)
        text = f"{_named(text[: aside.start()], name)} {text[aside.end() :]}"
    if titled := next((found for title in TITLES if (found := re.search(title, text))), None):
        return text.replace("'", ""), [*names, f"{TITLED}{titled['name']}"]
    for pattern in NOTED:
        names += [match["name"] for match in re.finditer(rf"(?<!\w){pattern}", text)]
    text = (
        re.sub(rf"(?<!\w)(?:(?:mit |with )?(?:dem |the )?)?(?:tag|tagged|tags)[:,]? (?={MARKS})", "mit notiz ", text)
        if names
        else text
    )
    known = [one for one in dict.fromkeys(names) if one not in NO_NAMES]
    text = re.sub(rf"{MARKS}(?= |$)|(?<= ){MARKS}", "", text) if known else text
    known = [one for one in known if _is_note(one)]
    for one in known:
        text = re.sub(rf"(?<!\w)als {one} (?={BEHIND})", f"{one} ", text)
        text = re.sub(rf"(?<!\w)mit (?:dem )?tag {one}(?!\w)", f"mit {one}", text)
    return text, known


def _is_note(name: str) -> bool:
    """Return True for a word that can only be a note here: it has no other meaning, or names a class such as "wine"."""
    told = [lexicon(of)[(name,)][0] for of in MONTHS if (name,) in lexicon(of)]
    return all(kind == FACTOR or of == "sauna" for kind, of in told) and not {name, name.removesuffix("s")} & ONE_WORD


def _named(before: str, name: str) -> str:
    """Return the words before a remark, with the last thing named replaced by the name of its note."""
    words = before.split()
    days = len(words) > 1 and _DAYS.match(words[-1])
    end = len(words) - bool(days)
    stem = name.split()[0][:4]
    if any(word.strip("\"“„'").startswith(stem) for word in words[: max(0, end - 2)]):
        return before
    begin = next((at for at in range(max(0, end - 2), end) if words[at].strip("\"“„'").startswith(stem)), end - 1)
    return " ".join([*words[:begin], name, *words[end:]])


def without_free(text: str) -> str:
    """Return a text with "days without meetings" for "meeting-free days"."""
    for pattern, plainer in TOLD["free"]:
        text = re.sub(pattern, plainer, text)
    return text


def without_names(text: str, language: str) -> str:
    """Return a text without an unknown name before its dates, as in "on holiday, 3 to 17 July"."""

    def told(match: re.Match[str]) -> str:
        known = vocabulary(language) | {*f"{MONTHS[language]} {WEEKDAYS[language]}".replace("|", " ").split()}
        since = match.groupdict().get("since") or ""
        return match[0] if known & {*match["name"].split()} - SMALL else f"{since} "

    said, ahead = TOLD[language], TOLD["ahead"]
    since_clause, periods, the_day, this, before = (
        said[one] for one in ("since_clause", "periods", "the_day", "this", "before")
    )
    month, season = "|".join(months()), "|".join(SEASONS[language])
    day = rf"(?:{said['part']} )?(?:\d{{1,2}}(?:\.|st|nd|rd|th)? ?(?:of )?)?(?:{month}|{season})(?!\w)|\d"
    text, clauses = re.subn(rf"(?<!\w){since_clause}(?={day})", r"\g<since> ", text)
    if clauses:  # "seit ich im Mai umgezogen bin"
        text = re.sub(rf"(?<=seit )({day})(?: [^\W\d_]+){{1,5}}? (?:bin|habe?|ist|war|wurde)(?=[,.?!]|$)", r"\1", text)
    begun = r"(?:before|bevor|vor)(?: [^\W\d_]+){2,6}"
    text = re.sub(rf"(?<!\w){begun} ?\((?:on |the |am )?(?=\d|(?:{month})(?!\w))", before, text)
    text = re.sub(rf"(?<!\w)(?:{periods}),? ?(?:\(|: )?(?={ahead})", "", text)
    lead = (
        r"(?:on|in|during|at|over|im|in der|in den|am|an|bei|während der|während des|(?P<since>since|seit)) "
        r"(?:my |the |our |meine[mnr] |unsere[mnr] )?"
    )
    date = TOLD["date"].replace("MONTH", month)
    holiday = "|".join(sorted(HOLIDAYS[language], key=len, reverse=True))
    text = re.sub(rf"(?<!\w)(?:{holiday}),? ?\(?(?={date})", "", text)
    text = re.sub(rf"(?<!\w){lead}(?P<name>[^\W\d_]+(?: [^\W\d_]+)?)(?: ?[,(]| (?=\d)) ?(?={ahead})", told, text)
    on = r"(?:am |(?:on|at|an|am|zu) (?:my|our|the|mein(?:em|er)|unser(?:em|er)) )"
    text = re.sub(rf"(?<!\w){on}(?P<name>[^\W\d_]+(?: [^\W\d_]+)?) ?[,(] ?(?={date})", told, text)
    text = re.sub(rf"(?<!\w){the_day}(?P<name>(?: [^\W\d_]+){{1,4}}) ?[,(] ?(?={date})", told, text)
    text = re.sub(rf"(?<!\w){said['was']}(?: [^\W\d_]+){{1,4}} ?[,(:] ?(?=(?:from |vom )?{ahead})", "", text)
    return re.sub(rf"(?<!\w){this} (?P<name>[^\W\d_]+),? ?\(?(?:also |so |that is |i\.e\. )?(?={ON})", told, text)
