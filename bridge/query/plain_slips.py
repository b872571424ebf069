"""Take German compounds apart, and mend slips of the pen."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bridge.query import plain_kinds as w
from bridge.query.plain_words import Known, texts

JOINTS = ("", "s", "n", "en", "es")
LEADS = {"durchschnitts": "durchschnitt", "gesamt": "insgesamt"}
OUTINGS = re.compile(r"(?P<sport>\w{3,}?)(?:touren|tour|runden|runde|ausflüge|ausflug|ausflügen|sitzung|sitzungen)$")
ENDINGS = {"en": ("s", "es"), "de": ("en", "es", "em", "er", "e", "n", "s", "r")}
NONE: Sequence[w.Token] = (("", None),)
# Kinds of words whose forms mean the same, as nouns and superlatives do.
NOUNS = frozenset({w.METRIC, w.SPORT, w.ACTIVITY, w.FACTOR, w.ENTRIES, w.WORKOUTS, w.RAN, w.WALK, w.BED, w.UP})
FORMED = {"en": NOUNS, "de": NOUNS | {w.OF, w.BEST, w.LENGTH, w.EARLY}}


def parts(word: str, language: str, known: w.Lexicon) -> Sequence[str]:
    """Return the known words of a German compound, or the compound itself."""
    if (word,) in known or word.startswith("§"):
        return (word,)
    if (form := _form(word, language, known)) != word or language != "de":
        return (form,)
    if (outing := OUTINGS.match(word)) and _is_sport(outing["sport"], known):
        return outing["sport"], "einheiten"
    return _compound(word, known)


def _compound(word: str, known: w.Lexicon) -> Sequence[str]:
    if word in texts("de").unmended:
        return (word,)
    for lead, alone in LEADS.items():
        rest = word.removeprefix(lead)
        if rest != word and (rest,) in known:
            return alone, rest
    for at in range(4, len(word) - 3):
        rest = word[at:]
        if (rest,) not in known or known[(rest,)][0][0] == w.FILL:
            continue
        stem = next((word[:at] + one for one in ("n", "en") if _is_sport(word[:at] + one, known)), None)
        if stem is not None:
            return stem, rest  # "wandertage"
        for joint in JOINTS:
            first = word[:at].removesuffix(joint) if joint else word[:at]
            if (first,) in known and known[(first,)][0][0] not in (w.FILL, w.PERIODS) and first + joint == word[:at]:
                return first, rest
    return (word,)


def _is_sport(word: str, known: w.Lexicon) -> bool:
    return known.get((word,), NONE)[0][0] == w.ACTIVITY


def _form(word: str, language: str, known: w.Lexicon) -> str:
    """Return the known word of which a word is another form, as "headache" of "headaches", or the word itself."""
    if len(word) < 4 or not word.isalpha() or word in texts(language).untitled | texts(language).unmended:
        return word
    stems = [word.removesuffix(one) for one in ENDINGS[language] if word.endswith(one)]
    forms = [stem + one for stem in (word, *stems) for one in ("", *ENDINGS[language])]
    if language == "de":
        forms += [word.replace("ss", "ß"), word.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü")]
    kinds = FORMED[language]
    return next((form for form in forms if len(form) > 3 and known.get((form,), NONE)[0][0] in kinds), word)


def mended(word: str, known: Known, *, beside: tuple[str, str] = ("", "")) -> str:
    """Return the only known word one typing slip away from an unknown word of five letters or more, or else the word.

    Of several, the one that names a figure counts. A word of four letters is corrected only to such a one, or if that
    makes a known phrase with the word ``beside`` it.
    """
    if len(word) < 4 or word in known.words or not word.isalpha() or parts(word, known.language, known) != (word,):
        return word
    near = [one for one in known.alike(word) if len(one) > 3 and _is_slip(word, one)]
    near = [one for one in near if not _is_other(word, one, known)]
    figures = [one for one in near if known.get((one,), NONE)[0][0] == w.METRIC]
    if len(word) == 4 and not figures:
        near = [one for one in near if (beside[0], one) in known or (one, beside[1]) in known]
    elif len({known[(figure,)] for figure in figures}) == 1:
        return min(figures)  # "schalf", which is no "schaff"
    return near[0] if len(near) == 1 else word


def _is_other(word: str, meant: str, known: Known) -> bool:
    """Return True if a word has another letter than one that means nothing: it may narrow, as "harten" for "hatten"."""
    same = len(word) == len(meant) and sorted(word) != sorted(meant)
    return same and all(kind == w.FILL for kind, _ in known.get((meant,), ()))


def _is_slip(word: str, meant: str) -> bool:
    """Return True if a letter was left out, doubled, added or swapped with the next, or, in long words, replaced."""
    at = next(
        (n for n, (one, other) in enumerate(zip(word, meant, strict=False)) if one != other), min(len(word), len(meant))
    )
    if len(word) == len(meant):
        swapped = word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :] == meant[at:]
        return swapped or (len(word) > 5 and word[at + 1 :] == meant[at + 1 :])
    return word[at:] == meant[at + 1 :] if len(word) < len(meant) else word[at + 1 :] == meant[at:]
