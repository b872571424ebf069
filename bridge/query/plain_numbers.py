"""Write numbers above twelve that are said in words as digits, in English and German."""

from __future__ import annotations

import re

from bridge.domain.phrases import NUMBERS

TEENS = {
    "en": "thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "de": "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
}
TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
}
LARGE = {"en": {"hundred": 100, "thousand": 1000}, "de": {"hundert": 100, "tausend": 1000}}


def with_digits(text: str, language: str) -> str:
    """Return a text with numbers above twelve in digits.

    >>> with_digits("over eight thousand steps in thirty five days", "en")
    'over 8000 steps in 35 days'
    >>> with_digits("in fünfundvierzig tagen über achttausend", "de")
    'in 45 tagen über 8000'
    """
    ones = {name: n for n, name in enumerate(NUMBERS[language].split(), start=1)} | {"ein": 1, "a": 1}
    ones |= {name: n for n, name in enumerate(TEENS[language].split(), start=13)}
    tens = {name: 10 * n for n, name in enumerate(TENS[language].split(), start=2)}
    every, ten, large = "|".join(ones), "|".join(tens), "|".join(LARGE[language])
    if language == "en":
        text = re.sub(rf"(?<!\w)({ten})[ -]({every})(?!\w)", lambda m: str(tens[m[1]] + ones[m[2]]), text)
    else:
        text = re.sub(rf"(?<!\w)({every})und({ten})(?!\w)", lambda m: str(ones[m[1]] + tens[m[2]]), text)
    text = re.sub(rf"(?<!\w)({ten})(?!\w)", lambda m: str(tens[m[1]]), text)
    text = re.sub(rf"(?<!\w)({TEENS[language].replace(' ', '|')})(?!\w)", lambda m: str(ones[m[1]]), text)

    def scaled(match: re.Match[str]) -> str:
        count = match[1] or "1"
        return str((int(count) if count.isdecimal() else ones[count]) * LARGE[language][match[2]])

    return re.sub(rf"(?<!\w)(?:(\d+|{every}) ?)?({large})(?!\w)", scaled, text)
