"""Leave out remarks beside a plain question, such as "The lift was broken." or ", the shop is heaving then"."""

from __future__ import annotations

import re
from collections.abc import Callable

from bridge.query.plain_words import pattern

NARROWS, NARROWS_IN_SENTENCE, AT_START = map(pattern, ("narrows", "narrows_in_sentence", "at_start"))
SENTENCE = re.compile(r"(?<=[^\d.][.?!])(?<!esp\.)(?<!e\.g\.)(?<!i\.e\.)(?<!z\.b\.)(?<!bzw\.)\s+(?=\S)")
CLAUSE = re.compile(r"(?:,|;|\s[–—-])\s+")
WORDS_MIN = 3  # our choice: of a remark behind a comma, where fewer may narrow


def without_remarks(text: str, says_nothing: Callable[[str], bool]) -> str:
    """Return a question without the sentences, brackets and last clauses that add nothing to it."""
    text = re.sub(r"^([^,]{3,40}) aside, ", lambda m: "" if says_nothing(m[1]) else m[0], text)
    text = re.sub(r"\(([^()]*)\)", lambda m: " " if _is_remark(m[1], says_nothing) else m[0], text)
    sentences = SENTENCE.split(text)
    narrows = NARROWS_IN_SENTENCE
    kept = [one for one in sentences if len(sentences) == 1 or not _is_remark(one, says_nothing, narrows)]
    text = " ".join(kept) if kept else text
    clauses = list(CLAUSE.finditer(text))
    for at in reversed(clauses):
        last = text[at.end() :]
        if len(last.split()) < WORDS_MIN or AT_START.match(last) or not _is_remark(last, says_nothing):
            break
        text = text[: at.start()]
    return text


def _is_remark(text: str, says_nothing: Callable[[str], bool], narrows: re.Pattern[str] = NARROWS) -> bool:
    return not narrows.search(text) and not re.search(r"\d", text) and says_nothing(text)
