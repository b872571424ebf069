"""``bridge observe``, ``recommend``, ``feedback``, ``today``: what the model sees, says and is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.errors import SetupError
from rhythm_env.interface import (
    DAY_NAMES,
    SLOTS_PER_DAY,
    Answer,
    Meter,
    MeterState,
    Moment,
    Slot,
    ZoneHistory,
    moment_at,
    slot_start,
    zone_at,
)

if TYPE_CHECKING:
    from bridge.daily import Figure
    from bridge.metrics import Metric
    from bridge.ports import Recommendation
    from bridge.types import Label, Occurrence, Reading


MOST_DAYS = 3660


def register(app: typer.Typer) -> None:
    app.command()(observe)
    app.command()(days)
    app.command()(today)
    app.command()(recommend)
    app.command()(feedback)


def observe(user: options.User, at: options.At = None, json: options.Json = False) -> None:
    """Print what the model sees now, or what it would have seen at an earlier instant."""
    from bridge import advise, app

    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        when = options.instant(at) if at else app.now()
        observation, readings = advise.look(bridge.store, person, bridge.classifier, at=when, proxies=bridge.proxies)
    if json:
        body = observation.to_json()
        body["at"] = when.isoformat()
        body["readings"] = {str(meter): reading_row(reading) for meter, reading in readings.items()}
        show.document(body)
        return
    typer.echo(f"{user}, {name_of(moment_at(when, person.zones))}, step {observation.timestep} of 28")
    meters_table({meter: seen(reading, observation.meters[meter]) for meter, reading in readings.items()})
    typer.echo("The model sees it so: Progress since Monday, the others at its own pace. For people: bridge meters")


def seen(reading: Reading, state: MeterState) -> Reading:
    """A reading with the figures that the model gets instead of its own."""
    return replace(reading, level=state.level, sd=state.sd, coverage=state.coverage)


def reading_row(reading: Reading) -> dict[str, Any]:
    """A reading as ``--json`` prints it; contributions sum to its distance from normal."""
    return {
        "level": reading.level,
        "sd": reading.sd,
        "coverage": reading.coverage,
        "validity": reading.validity,
        "validated": reading.validated,
        "note": reading.note,
        "because": [
            {
                "signal": b.signal,
                "source": b.source,
                "z": b.z,
                "contribution": b.contribution,
                "age_hours": b.age_hours,
                "text": b.text,
            }
            for b in reading.because
        ],
    }


def meters_table(readings: Mapping[Meter, Reading]) -> None:
    """Five bars with their uncertainty, freshness and reasons."""
    rows = [
        {
            "meter": str(meter).capitalize() + ("" if reading.validated else " *"),
            "level": show.level(reading, 20),
            "fresh": f"{reading.coverage:.0%}",
            "because": "; ".join(b.text for b in reading.because) or reading.note or "",
        }
        for meter, reading in readings.items()
    ]
    show.table(rows, ("meter", "level", "fresh", "because"))
    if not all(reading.validated for reading in readings.values()):
        typer.echo("* not validated against people's own reports. 0.70 is your normal; nothing here is medical.")


def days(
    user: options.User,
    source: options.Source = None,
    last: Annotated[int, typer.Option(help="How many days back.", min=1, max=MOST_DAYS)] = 14,
    json: options.Json = False,
) -> None:
    """Print each day's figures per source, newest first."""
    from bridge import app
    from bridge.daily import figures

    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        now = app.now()
        since = (now.astimezone(zone_at(now, person.zones)) - timedelta(days=last - 1)).date()
        found = figures(bridge.store.samples(person.id, since=since), bridge.store.episodes(person.id, since=since))
    shown = {key: metrics for key, metrics in found.items() if source in (None, key[1])}
    if json:
        show.document([day_row(day, name, metrics) for (day, name), metrics in shown.items()])
        return
    rows = [{"day": f"{day:%a %d %b}", "source": name, **_figures(metrics)} for (day, name), metrics in shown.items()]
    show.table(rows, ("day", "source", *FIGURES))


FIGURES = {  # column -> metric; intraday ones show their mean
    "asleep": "asleep",
    "hrv": "hrv_rmssd",
    "sdnn": "hrv_sdnn",
    "resting": "resting_hr",
    "pulse": "heart_rate",
    "stress": "stress",
    "steps": "steps",
}


def day_row(day: date, source: str, metrics: Mapping[Metric, Figure]) -> dict[str, Any]:
    """A day as ``--json`` prints it: metric -> value (of intraday ones the mean or sum), of how many measurements."""
    return {
        "day": day.isoformat(),
        "source": source,
        **{
            str(metric): {"value": f.value, "count": f.count, "low": f.low, "high": f.high}
            for metric, f in sorted(metrics.items())
        },
    }


def _figures(metrics: Mapping[Metric, Figure]) -> dict[str, str | None]:
    named = {str(metric): figure for metric, figure in metrics.items()}
    found = {column: named.get(metric) for column, metric in FIGURES.items()}
    shown = {column: None if f is None else f"{f.value:,.0f}" for column, f in found.items()}
    asleep = found["asleep"]
    return shown | ({"asleep": f"{asleep.value // 60:.0f}:{asleep.value % 60:02.0f}"} if asleep else {})


def today(user: options.User, json: options.Json = False) -> None:
    """Print today's events and what each of them is."""
    from bridge import advise, app

    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        now = app.now()
        morning = replace(moment_at(now, person.zones), slot=Slot.MORNING)
        start, end = (slot_start(moment, person.zones) for moment in (morning, morning.shifted(SLOTS_PER_DAY)))
        found = advise.labelled(bridge.store, person, bridge.classifier, start, end, at=now)
    show.table(
        [event_row(occurrence, label, person.zones) for occurrence, label in found],
        ("from", "to", "title", "action", "confidence", "why"),
        json=json,
    )


def event_row(occurrence: Occurrence, label: Label, zones: ZoneHistory) -> dict[str, Any]:
    from bridge.cli.calendar import title_of

    zone = zone_at(occurrence.start, zones)
    start, end = occurrence.start.astimezone(zone), occurrence.end.astimezone(zone)
    return {
        "event": occurrence.event.key,
        "from": "all day" if occurrence.event.all_day else f"{start:%H:%M}",
        "to": "" if occurrence.event.all_day else f"{end:%H:%M}",
        "title": title_of(occurrence.event),
        "action": str(label.action) if label.action else None,
        "confidence": round(label.confidence, 2),
        "by": label.by,
        "why": label.why,
    }


def recommend(
    user: options.User,
    policy: Annotated[str | None, typer.Option(help="Another policy than the one set (see: bridge sources).")] = None,
    json: options.Json = False,
) -> None:
    """Recommend one action for this slot; asking again in the same slot returns the same one."""
    from bridge import advising, app

    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        now = app.now()
        advice = advising.recommend(bridge, person, now=now, policy=policy)
        withheld = advising.withheld(bridge, person, advice)
    if json:
        show.document({**advice_row(advice), "withheld": {str(action): why for action, why in withheld.items()}})
        return
    until = advice.expires_at.astimezone(zone_at(now, person.zones))
    typer.echo(f"{name_of(advice.moment)}: {advice.action}  (until {until:%H:%M}, {advice.policy})")
    for reason in advice.reasons:
        typer.echo(f"  {reason}" if reason.startswith("not ") else f"  because {reason}")
    if advice.answer is not None:
        typer.echo(f"You answered: {advice.answer.lower()}.")
    else:
        typer.echo(f"Answer: bridge feedback accept|ignore|reschedule --user {user} --id {advice.id}")


def advice_row(advice: Recommendation) -> dict[str, Any]:
    """A recommendation as ``--json`` prints it."""
    moved = advice.moved_to
    return {
        "id": advice.id,
        "action": str(advice.action),
        "day": advice.moment.day,
        "slot": int(advice.moment.slot),
        "timestep": advice.moment.timestep,
        "week": advice.moment.week.isoformat(),
        "belief": dict(advice.belief),
        "reasons": list(advice.reasons),
        "scores": dict(advice.scores),
        "probabilities": dict(advice.probabilities),
        "policy": advice.policy,
        "created_at": advice.created_at.isoformat(),
        "expires_at": advice.expires_at.isoformat(),
        "answer": str(advice.answer) if advice.answer else None,
        "moved_to": {"day": moved.day, "slot": int(moved.slot), "week": moved.week.isoformat()} if moved else None,
    }


def feedback(
    answer: Annotated[str, typer.Argument(help="accept, ignore or reschedule.")],
    user: options.User,
    recommendation: Annotated[
        int | None,
        typer.Option("--id", help="Which recommendation; default: the newest unanswered one.", max=options.LARGEST),
    ] = None,
    to: Annotated[
        str | None, typer.Option(help='When instead, for reschedule: e.g. "Thu evening".', metavar="DAY SLOT")
    ] = None,
    json: options.Json = False,
) -> None:
    """Answer a recommendation; the answer is the model's reward (+1 or -1) and part of what it sees next."""
    from bridge import advise, app

    given = answer_of(answer)
    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        now = app.now()
        if recommendation is None:
            newest = advise.latest(bridge.store, person, now=now)
            if newest is None:
                raise SetupError(f"nothing is waiting for an answer; see: bridge recommend --user {user}")
            recommendation = newest.id
        moved = slot_of(to, now, person.zones) if to else None
        advice = advise.give_feedback(bridge.store, person, recommendation, given, now=now, moved_to=moved)
    show.result(
        advice_row(advice), f"{advice.action}: {given.lower()}. Thank you, the next advice will know.", json=json
    )


def answer_of(text: str) -> Answer:
    try:
        return Answer(text.upper())
    except ValueError:
        raise SetupError(f"{text!r} is no answer; say accept, ignore or reschedule") from None


def slot_of(text: str, now: datetime, zones: ZoneHistory) -> Moment:
    """The next slot of that name from now on, e.g. ``Thu evening``. Raises SetupError for another spelling."""
    day, _, slot = text.strip().partition(" ")
    wanted = (day[:3].capitalize(), slot.strip().upper())
    current = moment_at(now, zones)
    for ahead in range(1, 29):
        moment = current.shifted(ahead)
        if (DAY_NAMES[moment.day], moment.slot.name) == wanted:
            return moment
    raise SetupError(f'{text!r} is no slot; write it like "Thu evening" (morning, afternoon, evening, night)')


def name_of(moment: Moment) -> str:
    return f"{DAY_NAMES[moment.day]} {moment.slot.name.lower()}"
