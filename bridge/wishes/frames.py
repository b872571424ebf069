"""Read sentences about the meters and about wishes said before: "serenity first", "forget my rule on tv".

Such a sentence is understood only as a whole, by a frame of ``frames.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bridge.wishes.said import Said
from rhythm_env.interface import ActionType, Meter

MORE = 2.0  # the weight of a meter that matters more
PARTS = re.compile(r"[,;.!?]+| [-–—]+ | (?:and|und) ")
BOTH = re.compile(r" (?:and|und) ")
ASKED = re.compile(r"(?:can|could|would|will|kannst|könnt|könnt\w+|würde\w*) ")  # politely
Actions = Callable[[str], frozenset[ActionType] | None]


@dataclass(frozen=True, slots=True)
class Frames:
    """The frames of a language. The group ``m`` is a meter, ``a`` an action and ``o`` what a meter is compared with."""

    soft: re.Pattern[str]
    own: re.Pattern[str]
    meters: dict[str, Meter]
    doubtful: dict[str, Meter]  # "family first" may mean the meter or the action
    other: frozenset[str]
    more: Sequence[re.Pattern[str]]
    weigh_it: re.Pattern[str]
    forget: Sequence[re.Pattern[str]]
    clear: Sequence[re.Pattern[str]]


@cache
def _frames(language: str) -> Frames:
    said: dict[str, Any] = tomllib.loads((Path(__file__).parent / "frames.toml").read_text("utf-8"))[language]
    frames, sets = said["frames"], {key: said["frames"][key] for key in ("undo", "one", "wish", "wishes", "of", "over")}
    sets |= {"undone": frames.get("undone", ""), "m": "(?P<m>.+?)", "a": "(?P<a>.+)"}
    than = r"(?: (?:than|over|als|wie) (?P<o>.+))?"

    def patterns(key: str, end: str = "") -> tuple[re.Pattern[str], ...]:
        texts = (re.sub(r"\{(\w+)\}", lambda found: sets[found[1]], one) for one in frames[key])
        # a choice that may be left out takes the space before it along
        return tuple(re.compile(re.sub(r" (\([^()]*\))\?(?= |$)", r"(?: \1)?", text) + end) for text in texts)

    return Frames(
        soft=re.compile(rf"\b(?:{said['soft']})\b(?!')"),
        own=re.compile(rf"^(?:(?:{said['own']}) )+"),
        meters=_by_name(said["meters"]),
        doubtful=_by_name(said["doubtful"]),
        other=frozenset(said["other"].split("|")),
        more=patterns("more", than),
        weigh_it=re.compile(frames["again"]),
        forget=patterns("forget"),
        clear=patterns("clear"),
    )


def _by_name(said: dict[str, str]) -> dict[str, Meter]:
    return {name: Meter[meter.upper()] for meter, names in said.items() for name in names.split("|")}


def taken_back(text: str, language: str, actions_of: Actions) -> Said | None:
    """Return what a text takes back, by actions that it names, or None for a text that takes nothing back."""
    frames, plain = _frames(language), _plain(text, r"\b(?:please|pls|bitte|doch|thanks|danke)\b")
    if any(one.fullmatch(plain) for one in frames.clear):
        return Said(kind="clear")
    for one in frames.forget:
        if (found := one.fullmatch(plain)) and (actions := actions_of(found["a"])):
            return Said(kind="forget", actions=actions)
    return None


def weights(text: str, language: str) -> tuple[tuple[Said, ...], str]:
    """Return the weights of meters that a text says in parts of it, and the rest of the text."""
    frames = _frames(language)
    if text.rstrip().endswith("?") and not ASKED.match(text.lower()):
        return (), text
    said, rest = [], []
    whole = _weight(text, frames)
    for part in [text] if whole else PARTS.split(text):
        if (one := _weight(part, frames)) is not None:
            said.append(one)
        elif part.strip() and not (said and frames.weigh_it.fullmatch(_plain(part, frames.soft))):
            rest.append(part.strip())
    return tuple(dict.fromkeys(said)), ", ".join(rest) if said else text


def _weight(text: str, frames: Frames) -> Said | None:
    plain = _plain(text, frames.soft)
    named = set()
    for one in frames.more:
        if (found := one.fullmatch(plain)) is None:
            continue
        meter, other = _meter(found["m"], frames), found["o"]
        if meter is None or (other and other not in frames.other and _meter(other, frames) in (None, meter)):
            continue
        named.add(meter)
    return Said(kind="weight", meter=named.pop(), number=MORE) if len(named) == 1 else None


def _meter(name: str, frames: Frames) -> Meter | None:
    found = {frames.meters.get(one) or frames.meters.get(frames.own.sub("", one)) for one in BOTH.split(name.strip())}
    return found.pop() if len(found) == 1 else None


def _plain(text: str, soft: re.Pattern[str] | str) -> str:
    return " ".join(re.sub(soft, " ", text.lower().replace("’", "'")).strip(" ,;.!?:").split())


def meter_named(text: str, language: str) -> Meter | None:
    """Return the only meter that a text names, or None."""
    plain, frames = f" {_plain(text, ' ')} ", _frames(language)
    named = {meter for name, meter in (frames.meters | frames.doubtful).items() if f" {name} " in plain}
    return named.pop() if len(named) == 1 else None
