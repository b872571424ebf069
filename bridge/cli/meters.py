"""Run ``bridge meters``, ``explain`` and ``days``, which print the meters, their inputs and the measured days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, proxies, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.documents.meters import MetersView, SensitivityDocument
    from bridge.domain.metrics import Metric
    from bridge.domain.records import User
    from bridge.domain.types import Reading
    from bridge.meters.daily import Figure
    from bridge.store import Store
    from rhythm_env.interface import Meter

SPARK_RANGE = (0.3, 0.95)  # levels of the lowest and the highest block; nearly all days lie in between
DAYS_SHOWN_MAX = 3660
FIGURE_METRICS = {  # column -> metric; a metric measured all day shows its mean
    "asleep": "asleep",
    "hrv": "hrv_rmssd",
    "sdnn": "hrv_sdnn",
    "resting": "resting_hr",
    "pulse": "heart_rate",
    "stress": "stress",
    "steps": "steps",
}

meters = typer.Typer(help="Print the five meters, or with map the rules by which they are computed.")
options.commands.add_typer(meters, name="meters")
meters.command(name="map")(proxies.show_map)

METER_COLOURS = {  # distinguishable with any colour vision (Okabe and Ito 2008)
    "VITALITY": "#E69F00",
    "COGNITION": "#0072B2",
    "PROGRESS": "#009E73",
    "SERENITY": "#56B4E9",
    "CONNECTION": "#CC79A7",
}
NORMAL_LEVEL = 0.70


@meters.callback(invoke_without_command=True)
def show_meters(
    context: typer.Context,
    user: options.OptionalUser = None,
    days: Annotated[
        int,
        typer.Option(
            help="How many past days of each meter are printed, drawn and put into the JSON document.",
            min=1,
            max=3650,
        ),
    ] = 7,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Also draw levels, their uncertainty and inputs into this file (.png, .svg or .pdf; needs "
            "the extra plot). An old file is replaced."
        ),
    ] = None,
    at: options.At = None,
    json: options.Json = False,
) -> None:
    """Print the five meters with level, uncertainty, the last days, and reasons."""
    if context.invoked_subcommand is not None:
        return
    from bridge.documents.meters import meters_document

    user = user or options.only_user()

    view, reason = _load(user, at, days)
    if plot is not None:
        draw(plot, view)
        typer.echo(f"drawn: {plot}", err=True)
    if json:
        show.document(meters_document(view))
    else:
        _print(view, days)
    if reason is not None:
        typer.echo(reason, err=json)


def _load(user: str, at: str | None, days: int) -> tuple[MetersView, str | None]:
    """Return the meters, and the reason why no meter has recent data, or None if one has."""
    from bridge.documents.meters import load_meters

    with options.opened(user, at) as (bridge, person, when):
        view = load_meters(bridge, person, when, days)
        if any(reading.coverage for reading in view.now.values()):
            return view, None
        return view, _why_not_fresh(bridge.store, person, at=view.at)


def _print(view: MetersView, days: int) -> None:
    from bridge.domain.slots import local_time

    past = {meter: spark([one[meter] for one in view.before]) for meter in view.now}
    show.meters(view.now, width=10, more={f"last {days} days": past})
    local = local_time(view.at, view.zones)
    show.say(f"As of {local:%a %d %b, %H:%M}. 0.70 is your normal; ± is one standard deviation. Nothing is medical.")
    validity = ", ".join(f"{str(m).capitalize()} {r:.2f}" for m, r in view.proxies.validity.items()) or "not measured"
    show.say(f"Agreement with what people say of the day, 0 to 1: {validity}. * not validated against reports.")


def spark(readings: Sequence[Reading], width: int = 28) -> str:
    """Return levels as a line of at most ``width`` blocks, which may be means of several. Unknown levels are blank."""
    return show.spark([r.level if r.coverage else None for r in readings], SPARK_RANGE, width)


@options.command()
def explain(
    user: options.User,
    meter: Annotated[
        str, typer.Option(help="The meter to explain: vitality, cognition, progress, serenity or connection.")
    ],
    at: options.At = None,
    json: options.Json = False,
) -> None:
    """Explain a meter's level: for every input its distance from normal, its age, and how far it moves the level."""
    from bridge.documents.meters import meter_document

    chosen = options.meter(meter)
    view, _ = _load(user, at, 1)
    reading, rows, felt = view.now[chosen], _inputs(view, chosen), _sensitivity(user, view.at, chosen)
    if json:
        told = {"meter": str(chosen), "at": view.at.isoformat(), **meter_document(reading)}
        show.document({**told, "inputs": rows, "sensitivity": felt})
        return
    typer.echo(f"{meter.capitalize()}: {show.level(reading, 10)}")
    ranked = sorted(rows, key=lambda one: -abs(one["contribution"] or 0.0))
    show.table([_readable(one) for one in ranked], ("signal", "points", "distance", "age", "weight", "why"))
    typer.echo(_sum(reading))
    if felt is not None:
        typer.echo(felt["text"].capitalize())
    typer.echo("What stands for what, and by whose findings: bridge meters map")


def _sensitivity(user: str, at: datetime, meter: Meter) -> SensitivityDocument | None:
    from bridge import installation
    from bridge.documents.meters import load_sensitivity

    with installation.open_bridge() as bridge:
        return load_sensitivity(bridge, bridge.person(user, at=at), at, meter)


def _inputs(view: MetersView, meter: Meter) -> list[dict[str, Any]]:
    from bridge.domain.rendering import told

    found = {b.signal: b for b in view.now[meter].because}
    rows = []
    for proxy in view.proxies.of(meter).values():
        because = found.get(proxy.signal)
        given = {name: getattr(because, name, None) for name in ("source", "contribution", "z", "age_hours")}
        text = f"nothing fresh of: {', '.join(proxy.inputs)}" if because is None else told(because.fact)
        row = {"signal": proxy.signal, "inputs": list(proxy.inputs), **given, "weight": proxy.weight, "text": text}
        rows.append({**row, "citation": proxy.source})
    return rows


def _readable(one: Mapping[str, Any]) -> dict[str, Any]:
    if one["contribution"] is None:
        return {"signal": one["signal"], "weight": one["weight"], "why": one["text"]}
    return {
        "signal": one["signal"],
        "points": f"{one['contribution']:+.3f}",
        "distance": f"{one['z']:+.1f} sd",
        "age": f"{one['age_hours']:.0f} h" if one["age_hours"] >= 1 else "now",
        "weight": one["weight"],
        "why": one["text"],
    }


def _sum(reading: Reading) -> str:
    if not reading.because:
        return f"{reading.note}"
    total = sum(b.contribution for b in reading.because)
    measured = f"validity {reading.validity:.2f}" if reading.validity is not None else reading.note
    return f"0.70 {total:+.3f} = {reading.level:.3f} ({measured}; {reading.coverage:.0%} of its weight is fresh)"


@options.command()
def days(
    user: options.User,
    source: options.Source = None,
    last: Annotated[
        int, typer.Option(help="Number of days to show, of which the last is today.", min=1, max=DAYS_SHOWN_MAX)
    ] = 14,
    json: options.Json = False,
) -> None:
    """Print each day's sleep, heart, stress and step values per source, newest day first."""
    from bridge.documents.meters import day_document
    from bridge.domain.slots import today_at
    from bridge.meters.daily import figures

    with options.opened(user) as (bridge, person, now):
        today = today_at(now, person.zones)
        since = today - timedelta(days=last - 1)
        found = figures(
            bridge.store.reading.samples(person.id, since=since), bridge.store.reading.episodes(person.id, since=since)
        )
        shown = {key: metrics for key, metrics in found.items() if source in (None, key[1])}
        if not shown:
            typer.echo(_why_no_days(bridge.store, person, source, today=today), err=json)
    if json:
        show.document([day_document(day, name, metrics) for (day, name), metrics in shown.items()])
    elif shown:
        named = {day: f"{day:%a %d %b}" + (f" {day:%Y}" if day.year != today.year else "") for day, _ in shown}
        rows = [{"day": named[day], "source": name, **_figures(of)} for (day, name), of in shown.items()]
        show.table(rows, ("day", "source", *FIGURE_METRICS))


def _figures(metrics: Mapping[Metric, Figure]) -> dict[str, str | None]:
    from bridge.domain.slots import hours_minutes

    named = {str(metric): figure for metric, figure in metrics.items()}
    found = {column: named.get(metric) for column, metric in FIGURE_METRICS.items()}
    shown = {column: None if f is None else f"{f.value:,.0f}" for column, f in found.items()}
    asleep = found["asleep"]
    return shown | ({"asleep": hours_minutes(asleep.value)} if asleep else {})


def _why_no_days(store: Store, user: User, source: str | None, *, today: date) -> str:
    extent = store.reading.extent(user.id, source)
    if extent is None:
        return _nothing_measured(user, source)
    back = (today - extent.newest).days + 1
    chosen = f" --source {source}" if source else ""
    shown = f"see it: bridge days --last {back}{chosen} --user {user.name}"
    older = f"bring in newer data: bridge sync --user {user.name}, or: bridge import PATH --user {user.name}"
    step = shown if back <= DAYS_SHOWN_MAX else older
    return f"nothing in these days; the newest day is {extent.newest}. To {step}"


def _why_not_fresh(store: Store, user: User, *, at: datetime) -> str:
    from bridge.domain.slots import zone_at

    extent = store.reading.extent(user.id)
    if extent is None:
        return _nothing_measured(user, None)
    since = extent.known_since.astimezone(zone_at(at, user.zones))
    if extent.known_since > at:
        later = (since + timedelta(minutes=1)).isoformat(timespec="minutes")
        return (
            f"as of then nothing was known: the first data came in on {since:%Y-%m-%d at %H:%M}. "
            f"See what was known after that: bridge meters --at {later} --user {user.name}"
        )
    return (
        f"the newest day that was measured is {extent.newest}, and that is not fresh. Bring in newer data: "
        f"bridge sync --user {user.name}, or: bridge import PATH --user {user.name}"
    )


def _nothing_measured(user: User, source: str | None) -> str:
    what = f"nothing was measured by {source}" if source else "nothing was measured yet"
    return (
        f"{what}; bring in data: bridge import PATH --user {user.name}, "
        f"or: bridge connect {source or 'SOURCE'} --user {user.name}"
    )


def draw(path: Path, view: MetersView) -> None:
    """Draw each meter's levels, and the contributions of its inputs, into a picture file.

    The file's ending tells the format. An old file is replaced. Raises SetupError without matplotlib, for an unknown
    ending, or if writing fails.
    """
    from bridge import origin
    from bridge.domain.slots import local_time
    from rhythm_env.interface import Meter

    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise origin.lacking("plot") from None
    from bridge.ingest import files

    figure = Figure(figsize=(10, 15), layout="constrained")
    axes = figure.subplots(2 * len(Meter), 1, sharex=True, height_ratios=[2, 1] * len(Meter))
    times = [local_time(start, view.zones).replace(tzinfo=None) for start in view.starts]
    for k, meter in enumerate(Meter):
        readings = [one[meter] for one in view.before]
        _draw_levels(axes[2 * k], meter, times, readings)
        _draw_inputs(axes[2 * k + 1], times, readings)
    axes[-1].tick_params(axis="x", rotation=30)
    try:
        files.make_private(path)
        figure.savefig(path, dpi=110)
    except (ValueError, OSError) as error:
        ways = "end it with .png, .svg or .pdf, in a folder that can be written"
        raise SetupError(f"the picture {path.name} cannot be written ({error}); {ways}") from None


def _draw_levels(axis: Any, meter: Meter, times: Sequence[Any], readings: Sequence[Reading]) -> None:
    levels = [r.level if r.coverage else float("nan") for r in readings]
    bands = [[level + side * r.sd for level, r in zip(levels, readings, strict=True)] for side in (-1, 1)]
    axis.axhline(NORMAL_LEVEL, color="0.7", linewidth=0.8)
    axis.fill_between(times, *bands, color=METER_COLOURS[meter], alpha=0.25, linewidth=0)
    axis.plot(times, levels, color=METER_COLOURS[meter], linewidth=1.5)
    axis.set_ylim(0, 1)
    validated = "" if any(r.validated for r in readings) else " (not validated)"
    axis.set_title(f"{str(meter).capitalize()}{validated}", loc="left", fontsize=10)


def _draw_inputs(axis: Any, times: Sequence[Any], readings: Sequence[Reading]) -> None:
    signals: Mapping[str, None] = {b.signal: None for r in readings for b in r.because}
    for signal in signals:
        shares = [{b.signal: b.contribution for b in r.because}.get(signal, float("nan")) for r in readings]
        axis.plot(times, shares, linewidth=1.0, label=signal.replace("_", " "))
    axis.axhline(0, color="0.7", linewidth=0.8)
    axis.set_ylabel("points", fontsize=8)
    if signals:
        axis.legend(fontsize=7, ncols=5, loc="upper left", frameon=False)
