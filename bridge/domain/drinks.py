"""Find the alcohol or coffee that a user's note mentions, with the number of drinks."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from bridge.domain.errors import SetupError
from bridge.domain.languages import say

Kind = Literal["alcohol", "coffee", "late coffee"]
NUMBERS = {  # in words, also those that come with a noun
    word: number
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
    )
    for number, word in enumerate(words.split(), 1)
} | dict.fromkeys(("a", "an", "ein", "eine", "einen", "une"), 1)
AMOUNT = rf"(?:\d+(?:[.,]\d+)?|(?:{'|'.join(NUMBERS)})(?!\w))"
_COUNTED = {
    **dict.fromkeys(("no", "zero", "kein", "keine", "keinen", "aucun", "aucune"), 0),
    **dict.fromkeys(("some", "another", "etwas", "noch ein", "noch einen", "noch eine"), 1),
    **dict.fromkeys(("a couple of", "a couple", "both"), 2),
}
_VAGUE = (
    r"(?:just |only )?(?:a few|few|several|many|too many|lots of|a lot of|ein paar|einige|mehrere|viele?|zu viele?)"
)
_ALCOHOL = (
    r"alcohol|alkohol|alcool|drinks?|alcoholic drinks?|alkoholisches getränk|alkoholische getränke|longdrinks?"
    r"|beers?|biere?|bierchen|feierabendbiere?|bières?|lagers?|ales?|ipas?|guinness|pils|pilsners?|helles|weizen|kölsch"
    r"|hefeweizen|wei(?:ß|ss)biere?|radler|shandy|ciders?|halbe|maß|pints?"
    r"|wines?|weine?|weinchen|vins?(?: rouge| blanc)?|rotweine?|wei(?:ß|ss)weine?|glühweine?|portweine?|port wine"
    r"|mulled wine|rosé|riesling|chardonnay|weinschorlen?|champagner?|sekt|prosecc[oi]s?|cava|aperol(?: spritz)?|spritz"
    r"|spirits|gins?(?:(?: and| ?&)? tonics?)?|g&ts?|whisk(?:y|ys|ies|ey|eys)|vodkas?|wodkas?|tequilas?|bourbon|scotch"
    r"|rums?(?: (?:and )?coke)?|cognac|brand(?:y|ies)|schnaps|schnäpse|schnapps|grappas?|ouzos?|liköre?|liqueurs?"
    r"|shots?|cocktails?|(?:espresso )?martinis?|negronis?|margaritas?|mojitos?|irish coffees?|sake|sherry|nightcaps?"
)
_COFFEE = (
    r"coffees?|kaffees?|cafés?|cafes?|käffchen|espress(?:o|os|i)|cappuccin(?:o|os|i)|lattes?(?: macchiatos?)?"
    r"|macchiatos?|flat whites?|americanos?|mochas?|cortados?|ristrett(?:o|os|i)|lungos?|milchkaffees?|filterkaffees?"
    r"|cold brews?|cafés? au lait|filter coffees?"
)
_VESSEL = (
    r"(?:(?P<large>bottles?|flaschen?|bouteilles?|lit(?:er|re)s?)|glass|glass?es|glas|gläser|verres?|pints?|cans?|dosen?"
    r"|cups?|mugs?|tassen?|tasses?|becher|shots?|halbe|maß)(?:(?: of | de | d['’])| )"
)
_VOLUME = r"\d+(?:[.,]\d+)? ?(?:ml|cl|dl|l|oz|lit(?:er|re)s?)(?!\w)"
_LIKE = (
    r"(?:(?:small|large|big|little|red|white|rosé|cold|hot|strong|black|iced|double|single|dry|craft|morning|afternoon"
    r"|evening|abendlich\w*|(?:klein|groß|rot|weiß|kalt|heiß|stark|schwarz|doppelt|trocken)(?:e[mnrs]?)?) )*"
)
_LATE = r"(?P<late>(?:too )?late |(?:zu )?späte?[mnrs]? )?"
_DRINK = re.compile(
    rf"(?:i )?(?:(?:had|drank|ich hatte|ich trank|hatte|trank|(?:ich )?habe?) )?"
    rf"(?:(?P<vague>{_VAGUE}) |(?P<counted>{'|'.join(_COUNTED)}) |(?P<first>{AMOUNT})(?: ?x)? )?"
    rf"(?:{_VOLUME} (?:of )?)?{_LATE}{_LIKE}(?:{_VESSEL})?{_LIKE}"
    rf"(?:(?P<alcohol>{_ALCOHOL})"
    rf"|(?P<coffee>{_COFFEE}))"
    rf"(?: {_VOLUME})?(?: (?:with|mit|avec) (?!no |out )[^\d<>=!~/]+?)?(?: getrunken)?(?: ?(?:x ?)?(?P<last>{AMOUNT}))?"
)
_BEER = re.compile(r".*(?:beer|bier|lager|ale|pils|cider)", re.DOTALL)
_AND = re.compile(r" (?:and|und|et|plus) |, ?| ?[+&] ?")


class Drinks(NamedTuple):
    """A number of drinks of one kind, alcohol or coffee. A volume, such as 0.2 l, counts as one drink."""

    kind: Kind
    many: float


def number_in(word: str) -> float:
    """Return the number that is written in figures or as an English, German or French word.

    Raises ValueError for any other text.
    """
    return float(NUMBERS.get(word) or word.replace(",", "."))


def drinks_in(text: str) -> Drinks | None:
    """Return the drinks that a note's text, in lower case, consists of, or None for a text about anything else.

    Raises SetupError if the number is vague ("a few beers") or the text names alcohol and coffee together.
    """
    if (whole := _one(text)) is not None:
        return whole
    found = [_one(part) for part in _AND.split(text)]
    told = [one for one in found if one is not None]
    if len(told) < 2 or len(told) < len(found):
        return None
    if len({one.kind for one in told}) > 1:
        raise SetupError(say("these are different drinks; note one after the other, as beer 2 and then coffee 1"))
    return Drinks(told[0].kind, sum(one.many for one in told))


@cache
def kind_of(name: str) -> Kind | None:
    """Return the kind of drink that a note's name consists of, such as alcohol for "two beers", or None."""
    try:
        found = drinks_in(name.casefold())
    except SetupError:
        return None
    return found and found.kind


def _one(text: str) -> Drinks | None:
    found = _DRINK.fullmatch(text)
    if found is None or (found["last"] and (found["first"] or found["counted"])):
        return None
    large = found["large"] and found["alcohol"] and not _BEER.match(found["alcohol"])
    if not found["last"] and (found["vague"] or large):
        raise SetupError(say("say how many drinks it was, as in beer 3 or two glasses of wine"))
    said = found["first"] or found["last"]
    many = number_in(said) if said else float(_COUNTED.get(found["counted"] or "", 1))
    return Drinks("alcohol" if found["alcohol"] else "late coffee" if found["late"] else "coffee", many)
