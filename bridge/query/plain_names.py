"""Leave out the names of times whose dates follow, and what a date was the beginning of, in plain questions."""

from __future__ import annotations

import re

from bridge.domain.phrases import WEEKDAYS
from bridge.query.model import TITLED
from bridge.query.plain_kinds import FACTOR
from bridge.query.plain_words import CLASS_NAMES, lexicon, months, vocabulary
from bridge.query.span_words import HOLIDAYS, MONTHS, SEASONS

# "since I moved house in March", "seit Semesterbeginn im Oktober": the date alone counts.
SINCE_CLAUSE = {
    "en": r"(?P<since>since|from when|from the day) (?:i|i've|we|my|our|the)(?: [^\W\d_'-]+){1,6}?,? ?"
    r"(?:on |in |at |from |back in |\()?(?:the )?",
    "de": r"(?P<since>seit)(?: (?:dem|der|meine[mr]|unsere[mr]))? "
    r"(?:[^\W\d_]*(?:beginn|start|anfang|wechsel|geburt|kauf|umzug)"
    r"|ich(?: [^\W\d_]+){1,5}?|[^\d,.?!()]{3,50}?(?= \()|[^\d,.?!()]{3,30}?(?= im )),? ?"
    r"(?:am |im |vom |ab |\()?(?:dem )?",
}
# Names of a time of which the dates follow, as in "in the exam weeks 3 to 14 July".
PERIODS = {
    "en": r"(?:(?:on|in|during|over|for) )?(?:the |my |our )?(?:[^\W\d_]+ )?"
    r"(?:holidays?|vacations?|trip|journey|camp|phase|term|semester|exam weeks?|exam period|season"
    r"|conference|break|week)",
    "de": r"(?:(?:im|in|in der|in den|in dem|während der|während des|auf|auf der) )?(?:meine[mnr]? |unsere[mnr]? )?"
    r"\w*(?:urlaubs?|ferien|reise|lager|phase|semester|saison|prüfungswoche|prüfungszeit"
    r"|klausurphase|kur|auszeit|messe)",
}
DATE = r"(?:vom |am |from |on )?(?:the |dem )?\d{1,2}(?:\.\d{1,2}\.|(?:\.|st|nd|rd|th)?(?: of)? (?:MONTH))"
AHEAD = (
    r"(?:vom |from |the )?\d{1,2}(?:\.\d{1,2}\.(?:\d{4})?|\.|st|nd|rd|th)? ?(?:\w+ )?(?:\d{4} )?"
    r"(?:to|until|till|bis|-|–)"
)
# "on the day of the flight, the 3rd of June", "this season (from April)".
THE_DAY = {
    "en": "(?:on )?the (?:day|night|morning|evening) of",
    "de": "(?:am|in der|der) (?:tag|nacht|morgen|abend)(?: vo[nm])?",
}
BEFORE = {"en": "before ", "de": "vor "}
THIS = {"en": "(?:this|in the|in this|the)", "de": "(?:(?:in )?diese[snmr]?|im|in der)"}
ON = r"(?:since|from|seit|ab) "
SMALL = frozenset("the a an my our der die das des dem den meiner meines unserer unseres vom von of".split())  # noqa: SIM905
# "on meeting-free days", "an besprechungsfreien Tagen".
NO_THING = "work|trainings|working|many|any|some|few|my|the|how|a|have"
FREE = (
    (rf"(?<!\w)(?!(?:{NO_THING})(?:-| ))([^\W\d_]+)(?:-| )free (days|nights|evenings)(?!\w)", r"\2 without \1"),
    (r"(?<!\w)no (meeting|alcohol|coffee|workout|sport|exercise) (days|nights)(?!\w)", r"\2 without \1"),
    (r"(?<!\w)(?!trainings|arbeits)([^\W\d_]{4,}?)s?freie[nrms]? (tage?n?|nächten?|abenden?)(?!\w)", r"\2 ohne \1"),
)


# Words that are said to be noted, as in 'note "court"', "my practice note" or "Migräne notiert".
_MARKS = r"[\"“„«'”»]"
_QUOTED = rf"{_MARKS}(?P<name>[^\W\d_]{{3,}}(?: [^\W\d_]+){{0,2}}){_MARKS}"
_NAME = rf"(?:{_MARKS}(?P<quoted>[^\W\d_]{{3,}}(?: [^\W\d_]+){{0,2}}){_MARKS}|(?P<bare>[^\W\d_]{{3,}}))"
_SAID = r"(?:note|tag|log|call|write|put|mark)(?:d|ed|ged|ten)?"
# How something is noted, behind the words for it: "visits, which I put down as hospital", "Wirtshaus (Notiz Alkohol)".
ASIDE = re.compile(
    rf"(?:,? ?\(|, | – |[.?!] )(?:(?:which |that )?i {_SAID} (?:(?:it|them|those|these|that|this) )?(?:down )?(?:as )?"
    rf"|(?:the )?(?:notes?|tags?|tagged|noted as|notiz|als notiz|steht als notiz|tag)[:,]? )(?:the tag )?{_NAME}"
    r"(?: drin)?(?: in (?:the|my) notes)?\)?(?![\w])"
)
_BEHIND = "notiert|aufgeschrieben|vermerkt|eingetragen|getaggt|markiert|in (?:den|meinen) notizen|in (?:the|my) notes"
_AHEAD = "noted?|notiz|(?:wr[io]te|jot|put)(?:ted)? down|logged|log|tagged|tag|with tag|with the tag"
NOTED = (
    rf"(?:notes?|notiz|notizen|tags?|tagged|noted)[:,]? {_QUOTED}",
    rf"{_QUOTED}.*(?:notiz|notiert|eingetragen|\bnote|\btag)",
    rf"(?:note|wrote|write|jot|jotted|log|logged|put) (?:down )?{_QUOTED}",
    rf"(?:{_AHEAD}) (?:(?:down|with|as) )?(?:an? )?(?P<name>[^\W\d_]{{3,}})",
    rf"{_SAID} (?:down )?as (?:an? )?(?P<name>[^\W\d_]{{3,}} [^\W\d_]{{3,}})(?=[:,?.;]|$)",
    r"(?:marked|mark|put down) as (?:an? )?(?P<name>[^\W\d_]{3,})",
    r"mit (?:dem )?tag (?P<name>[^\W\d_]{3,})",
    rf"(?P<name>[^\W\d_]{{3,}}) (?:{_BEHIND})",
    r"(?P<name>[^\W\d_]{3,}) (?:(?:was|were|is|got) )?(?:noted|tagged|logged)(?!\w)",
    r"(?P<name>[^\W\d_]{3,}) notes?(?!\w)",
    r"^(?P<name>[^\W\d_]{3,}):.*(?:notiert|\bnoted?)(?!\w)",
)
ONE_WORD = {one for one in CLASS_NAMES if " " not in one}
_CALENDAR = "kalender|calendar|diary"
TITLES = (rf"(?:{_CALENDAR}|called|named|titled|heißt|heißen|namens).*{_QUOTED}", rf"{_QUOTED}.*(?:{_CALENDAR})")
NO_NAMES = frozenset({"nothing", "anything", "something", "everything", "nichts", "etwas", "alles", "tage", "days"}) | {
    *("danach", "davor", "vorher", "zuvor", "darauf", "vor", "nach")  # of a day, "mit dem Tag danach"
}
_DAYS = re.compile(r"(?:days?|nights?|evenings?|tage?n?|nächten?|abende?n?)$")


def noted(text: str) -> tuple[str, list[str]]:
    """Return a question without asides on how a thing is noted, and the names that it says are noted or titles."""
    text, names = text.lower(), list[str]()
    while aside := ASIDE.search(text):
        name = aside["quoted"] or aside["bare"]
        names.append(name)
        text = f"{_named(text[: aside.start()], name)} {text[aside.end() :]}"
    if titled := next((found for one in TITLES if (found := re.search(one, text))), None):
        return text.replace("'", ""), [*names, f"{TITLED}{titled['name']}"]
    for pattern in NOTED:
        names += [match["name"] for match in re.finditer(rf"(?<!\w){pattern}", text)]
    text = (
        re.sub(rf"(?<!\w)(?:(?:mit |with )?(?:dem |the )?)?(?:tag|tagged|tags)[:,]? (?={_MARKS})", "mit notiz ", text)
        if names
        else text
    )
    known = [one for one in dict.fromkeys(names) if one not in NO_NAMES]
    text = re.sub(rf"{_MARKS}(?= |$)|(?<= ){_MARKS}", "", text) if known else text
    known = [one for one in known if _is_note(one)]
    for one in known:
        text = re.sub(rf"(?<!\w)als {one} (?={_BEHIND})", f"{one} ", text)
        text = re.sub(rf"(?<!\w)mit (?:dem )?tag {one}(?!\w)", f"mit {one}", text)
    return text, known


def _is_note(name: str) -> bool:
    """Return True for a word without another meaning here, or for one of a class of notes, as "wine"."""
    told = [lexicon(of)[(name,)][0] for of in MONTHS if (name,) in lexicon(of)]
    return all(kind == FACTOR or of == "sauna" for kind, of in told) and not {name, name.removesuffix("s")} & ONE_WORD


def _named(before: str, name: str) -> str:
    """Return the words before an aside with the thing under the name by which it is noted."""
    words = before.split()
    days = len(words) > 1 and _DAYS.match(words[-1])
    end = len(words) - bool(days)
    stem = name.split()[0][:4]
    if any(one.strip("\"“„'").startswith(stem) for one in words[: max(0, end - 2)]):
        return before
    begin = next((at for at in range(max(0, end - 2), end) if words[at].strip("\"“„'").startswith(stem)), end - 1)
    return " ".join([*words[:begin], name, *words[end:]])


def without_free(text: str) -> str:
    """Return a text with "days without meetings" for "meeting-free days"."""
    for pattern, plainer in FREE:
        text = re.sub(pattern, plainer, text)
    return text


def without_names(text: str, language: str) -> str:
    """Return a text without the unknown name of a span of which the dates follow, as in "on holiday, 3 to 17 July"."""

    def told(match: re.Match[str]) -> str:
        known = vocabulary(language) | {*f"{MONTHS[language]} {WEEKDAYS[language]}".replace("|", " ").split()}
        since = match.groupdict().get("since") or ""
        return match[0] if known & {*match["name"].split()} - SMALL else f"{since} "

    month, season = "|".join(months()), "|".join(SEASONS[language])
    text = re.sub(rf"(?<!\w){SINCE_CLAUSE[language]}(?=\d|(?:{month}|{season})(?!\w))", r"\g<since> ", text)
    begun = r"(?:before|bevor|vor)(?: [^\W\d_]+){2,6}"
    text = re.sub(rf"(?<!\w){begun} ?\((?:on |the |am )?(?=\d|(?:{month})(?!\w))", BEFORE[language], text)
    text = re.sub(rf"(?<!\w)(?:{PERIODS[language]}),? ?(?:\(|: )?(?={AHEAD})", "", text)
    lead = (
        r"(?:on|in|during|at|over|im|in der|in den|am|an|bei|während der|während des|(?P<since>since|seit)) "
        r"(?:my |the |our |meine[mnr] |unsere[mnr] )?"
    )
    date = DATE.replace("MONTH", month)
    holiday = "|".join(sorted(HOLIDAYS[language], key=len, reverse=True))
    text = re.sub(rf"(?<!\w)(?:{holiday}),? ?\(?(?={date})", "", text)
    text = re.sub(rf"(?<!\w){lead}(?P<name>[^\W\d_]+(?: [^\W\d_]+)?)(?: ?[,(]| (?=\d)) ?(?={AHEAD})", told, text)
    text = re.sub(rf"(?<!\w){THE_DAY[language]}(?P<name>(?: [^\W\d_]+){{1,4}}) ?[,(] ?(?={date})", told, text)
    return re.sub(
        rf"(?<!\w){THIS[language]} (?P<name>[^\W\d_]+),? ?\(?(?:also |so |that is |i\.e\. )?(?={ON})", told, text
    )
