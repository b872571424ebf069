"""Compare the surfaces that show a user's recommendation and meters, such as command, page, message and assistant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from bridge.advice import notify
from bridge.advice.recommend import build_observation
from bridge.day.plan import DayPlan
from bridge.documents.meters import load_meters
from bridge.documents.recommendations import recommendation_document
from bridge.domain.languages import shown as shown_text
from bridge.domain.records import FullRecommendation, Silence, User
from bridge.domain.rendering import Audience, for_person, reasons, told
from bridge.domain.titles import advice_title
from bridge.domain.types import Reading
from bridge.installation import Bridge
from bridge.mcp.tools import Tools
from bridge.meters.words import NORMAL
from bridge.recordings.recorded_life import environment
from bridge.web import day
from bridge.web.state import AppState, Visit
from rhythm_env.interface import Meter

NOT_KNOWN, ASSISTANT = "not known", Audience.ASSISTANT
Said = tuple[str, ...]
Levels = Mapping[Meter, Said]


def disagreements(
    bridge: Bridge, user: User, advice: FullRecommendation | Silence, plan: DayPlan, now: datetime
) -> Iterator[str]:
    """Yield a sentence for each surface (command, page, message) whose text differs from that of the first surface.

    Compared are the recommendation ``advice``, its time and reasons, and the meters. ``plan`` is the day's plan.
    """
    visit = Visit(app=AppState(bridge=bridge), user=user, now=now, csrf="")
    with environment({"BRIDGE_NOW": now.isoformat()}):
        tools = Tools(bridge=bridge, name=user.name)
        yield from _differ(dict(_advice(advice, plan, visit, tools)))
        meters = dict(_meters(bridge, user, visit, tools, now))
        yield from contradictions(day.meters(visit.app.today_cache.today(bridge, user, now).readings))
    for meter in Meter:
        yield from _differ({name: levels[meter] for name, levels in meters.items()})


def contradictions(shown: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each contradiction within the meters as the page shows them.

    A meter contradicts itself if words or colour are on the other side of normal than its level, if "as usual" stands
    beside a reason of "than usual", or if a recent answer is called old.
    """
    for one in (one for one in shown if one["known"]):
        side, word = one["percent"] - 100 * NORMAL, f"{one['word']} {one['words']}"
        if (side > 0 and "below" in word) or (side < 0 and "above" in word) or one["steps"] * side < 0:
            yield f"{one['name']}: {word} at {one['shown']}"
        usual = any(text in word for text in ("as usual", "about your usual"))
        leaning = [why for why in one["reasons"] if (why["share"].startswith("+")) == (side > 0)]
        if usual and any("than usual for you" in shown_text(why["text"]) for why in leaning):
            yield f"{one['name']}: {word} beside {[shown_text(why['text']) for why in leaning]}"
        if one["said"] and one["stale"]:
            yield f"{one['name']}: an answer of {one['said']} is called old"


def against_their_sign(readings: Mapping[Meter, Reading]) -> Iterator[str]:
    """Yield a text for each reason whose words contradict the sign of its effect on a meter.

    Words of too little sleep must not raise a meter, and words of enough sleep must not lower it.
    """
    for meter, reading in readings.items():
        for one in reading.because:
            low, full = (
                one.fact.kind.removesuffix("_most") == "slept_short",
                one.fact.kind.removesuffix("_most") == "slept_enough",
            )
            if (low and one.contribution > 0) or (full and one.contribution < 0):
                yield f"{meter}: {told(one.fact)} ({one.contribution:+.3f})"


def _differ(said: Mapping[str, Said]) -> Iterator[str]:
    """Yield a sentence per surface whose text differs from that of the first surface."""
    first, *others = said.items()
    yield from (f"{first[0]} says {first[1]}, {name} {text}" for name, text in others if text != first[1])


def _advice(
    advice: FullRecommendation | Silence, plan: DayPlan, visit: Visit, tools: Tools
) -> Iterator[tuple[str, Said]]:
    """Yield each surface with what it says, as (action, time, reasons ...), or as reasons if no action is advised."""
    told = tools.recommendation()
    if isinstance(advice, Silence):
        yield "recommend", tuple(for_person(advice.facts))
        yield "assistant", _to_person(told["reasons"], advice, ASSISTANT) if told["id"] is None else (told["action"],)
        return
    zones = visit.user.zones
    document = recommendation_document(advice, zones)
    name, because = str(advice.action), tuple(document["reasons"])
    hours = f"{visit.local(advice.start):%H:%M}" if advice.start else ""
    yield "recommend", (name, hours, *because)
    start = told["start"] and f"{visit.local(datetime.fromisoformat(told['start'])):%H:%M}"
    yield "assistant", (told["action"], start or "", *_to_person(told["reasons"], advice, ASSISTANT))
    shown = day.recommendation(visit, advice)
    yield "page", (shown["action"], (shown["hours"] or "").split(" to ")[0].split(" ")[-1], *shown["because"])
    title, text = notify.compose(advice, {}, zones=zones)
    at = title.rpartition(", ")[2].partition(" to ")[0] if hours else ""
    word = title.removeprefix("Keep: ").partition(",")[0]
    action = name if word == advice_title(advice.action, advice.kind) else word
    lines = text.splitlines() if text != title else ()
    yield "message", (action, at, *_to_person(lines, advice, Audience.LOCK_SCREEN))
    for block in plan.blocks:
        if block.recommendation_id == advice.id:
            yield "plan", (str(block.action), f"{visit.local(block.start):%H:%M}", *for_person(block.facts))


def _to_person(said: Sequence[str], advice: FullRecommendation | Silence, audience: Audience) -> Said:
    """Return the reasons in the user's form if ``said`` are those of ``advice`` for ``audience``, else ``said``."""
    same = list(said) == reasons(advice.facts, audience)
    return tuple(for_person(advice.facts)) if same else tuple(said)


def _meters(bridge: Bridge, user: User, visit: Visit, tools: Tools, now: datetime) -> Iterator[tuple[str, Levels]]:
    """Yield for each surface its name, and the level and strongest reason that it shows by meter."""
    yield "meters and explain", _levels(load_meters(bridge, user, now, 1).now)
    _, observed = build_observation(bridge, user, at=now)
    yield "observe", _levels(observed)
    found = day.meters(visit.app.today_cache.today(bridge, user, now).readings)
    yield (
        "page",
        {
            Meter(one["name"].upper()): (
                one["shown"],
                *([one["reasons"][0]["text"]] if one["known"] and one["reasons"] else []),
            )
            for one in found
        },
    )
    told = tools.meters()["meters"]
    yield (
        "assistant",
        {
            meter: (NOT_KNOWN,)
            if told[meter]["level"] is None
            else (
                f"{told[meter]['level']:.2f}",
                *(one["text"] for one in told[meter]["because"][:1] if one["points"]),
            )
            for meter in Meter
        },
    )


def _levels(readings: Mapping[Meter, Reading]) -> Levels:
    """Return each meter's level as a text, with its strongest reason if the reason has a visible share."""
    return {
        meter: (
            f"{one.level:.2f}",
            *for_person(b.fact for b in one.strongest[:1] if b.share),
        )
        if one.coverage
        else (NOT_KNOWN,)
        for meter, one in readings.items()
    }
