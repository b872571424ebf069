"""The watch over harm, which stops advice if levels or nights are worse after slots with advice than without.

Chance decides which slots get no advice. In each slot the watch bets that advice lowers what follows. If advice does no
harm, the stake, which begins at 1, ever exceeds 50 with a probability of at most 1/50, however often it is looked at
(Ville 1939, Waudby-Smith and Ramdas 2024, https://doi.org/10.1093/jrsssb/qkad009). A bet is the product of two numbers:
advice (1 or 0) less its probability, and the fall of what followed below its forecast, in standard deviations, at most
1 either way. Forecast and deviation rest on earlier slots alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from statistics import fmean
from typing import TYPE_CHECKING

from bridge.advice.aftermath import values_of
from bridge.domain.errors import SetupError
from bridge.domain.facts import Fact, fact
from bridge.domain.guard import ADVICE, PERSON, REASON_MAX, WATCH, Switch, is_on
from bridge.domain.languages import say
from bridge.domain.metrics import Metric
from bridge.domain.records import Lot
from bridge.domain.slots import DAY, INSTANT, moment_at, slot_bounds, zone_at
from rhythm_env.interface import Meter

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.store import Store

STOPS = 50.0  # at this stake advice stops: at most one false stop in so many lives
CLIP = 1.0  # standard deviations that a slot counts at most
SHARES = (0.5, 0.9)  # of the stake that are bet at most, half of it each; by 1 nothing could be lost but all
FINDS = 1.1  # standard deviations of the level: a harm found in six weeks by four lives in five (lab.benchmarks.harm)
LEARNS = 10  # slots before the first bet, from which forecast and deviation are known
TRUSTED_AFTER = 5  # slots by which the slope of the forecast is drawn towards nothing
FIRST = datetime(1970, 1, 1, tzinfo=UTC)
BODY = tuple(meter for meter in Meter if meter is not Meter.PROGRESS)  # which begins anew on Mondays


@dataclass(slots=True)
class Bets:
    """The stake of the bets on one outcome, and the regression on earlier slots that forecasts this outcome."""

    stakes: list[float] = field(default_factory=lambda: [1.0 for _ in SHARES])
    count: int = 0
    errors: int = 0
    squares: float = 0.0
    before: float = 0.0
    after: float = 0.0
    spread: float = 0.0
    joint: float = 0.0

    @property
    def stake(self) -> float:
        return fmean(self.stakes)

    def add(self, excess: float, before: float, after: float) -> None:
        """Update stake and regression by a slot, given the outcome's values ``before`` and ``after`` it.

        ``excess`` is 1 with advice or 0 without, less the probability of advice.
        """
        if self.count > 1:
            slope = self.joint / self.spread * self.count / (self.count + TRUSTED_AFTER) if self.spread > 0 else 0.0
            error = after - self.after - min(max(slope, 0.0), 1.0) * (before - self.before)
            if self.errors >= LEARNS and self.squares > 0:
                fell = min(max(-error / (self.squares / self.errors) ** 0.5, -CLIP), CLIP)
                for place, share in enumerate(SHARES):
                    self.stakes[place] *= 1 + share / CLIP * fell * excess
            self.errors, self.squares = self.errors + 1, self.squares + error**2
        self.count += 1
        off_before, off_after = before - self.before, after - self.after
        self.before += off_before / self.count
        self.after += off_after / self.count
        self.spread += off_before * (before - self.before)
        self.joint += off_before * (after - self.after)


@dataclass(slots=True)
class Stakes:
    """The stake of the watch, half of which bets on levels after slots and half on nights after days."""

    levels: Bets = field(default_factory=Bets)
    nights: Bets = field(default_factory=Bets)

    @property
    def now(self) -> float:
        return (self.levels.stake + self.nights.stake) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The state of the watch over harm since ``since``. Its stake is the evidence that advice does harm.

    The numbers and mean levels are those of slots without (``silent``) and with advice.
    """

    since: datetime
    stake: float
    silent: int
    advised: int
    level_silent: float | None
    level_advised: float | None


def watched(store: Store, user: User, *, now: datetime) -> Watched:
    """Return the state of the watch over harm since the last time that advice or the watch was switched on, if ever."""
    switches = store.people.preferences(user.id).switches
    since = max((one.at for one in switches if one.on), default=FIRST)
    lots = [
        (lot, bounds)
        for lot in store.recommendations.lots(user.id, until=now)
        if (bounds := slot_bounds(lot.moment, user.zones))[0] >= since and bounds[1] <= now
    ]
    stakes, sides = Stakes(), dict[bool, list[float]]({True: [], False: []})
    if lots:
        for lot, before, after in _levels(store, user, lots, now):
            stakes.levels.add(_excess(lot), before, after)
            sides[lot.given].append(after)
        for excess, before, after in _nights(store, user, [lot for lot, _ in lots], now):
            stakes.nights.add(excess, before, after)
    silent, advised = (fmean(some) if (some := sides[way]) else None for way in (False, True))
    given = sum(lot.given for lot, _ in lots)
    return Watched(
        since=since,
        stake=stakes.now,
        silent=len(lots) - given,
        advised=given,
        level_silent=silent,
        level_advised=advised,
    )


def _excess(lot: Lot) -> float:
    return lot.given - (1 - lot.silence)


def _levels(
    store: Store, user: User, lots: Sequence[tuple[Lot, tuple[datetime, datetime]]], now: datetime
) -> Iterator[tuple[Lot, float, float]]:
    first = lots[0][1][0] - DAY
    made = store.recommendations.between(user.id, since=first, until=now + INSTANT)
    times = [one.created_at for one in made]
    values = [[one.levels[str(meter)] for meter in BODY if str(meter) in one.levels] for one in made]
    for lot, (start, end) in lots:
        before, after = bisect_left(times, start) - 1, bisect_left(times, end)
        if before >= 0 and after < len(made) and times[after] < end + DAY and values[before] and values[after]:
            yield lot, fmean(values[before]), fmean(values[after])


def _nights(store: Store, user: User, lots: Sequence[Lot], now: datetime) -> Iterator[tuple[float, float, float]]:
    nights = values_of(store, user, Metric.ASLEEP, lots[0].moment.date, now=now)
    days: dict[date, list[float]] = {}
    for lot in lots:
        days.setdefault(lot.moment.date, []).append(_excess(lot))
    today = moment_at(now, user.zones).date
    for day, excess in days.items():
        if day < today and day in nights and day + DAY in nights:
            yield fmean(excess), nights[day], nights[day + DAY]


def advice_is_on(store: Store, user: User) -> bool:
    return is_on(store.people.preferences(user.id).switches, ADVICE)


def look(store: Store, user: User, *, now: datetime) -> bool:
    """Return True if advice may be given. If advice has done harm by the stake of the bets, switch advice off.

    The stake is computed only as long as the day has no recommendation.
    """
    switches = store.people.preferences(user.id).switches
    if not is_on(switches, ADVICE) or not is_on(switches, WATCH):
        return is_on(switches, ADVICE)
    today = moment_at(now, user.zones).date
    if store.recommendations.any_of(user.id, today):
        return True
    found = watched(store, user, now=now)
    if found.stake < STOPS:
        return True
    told = Switch(at=now, what=ADVICE, on=False, by=WATCH, evidence=round(found.stake, 1))
    _switch(store, user, replace(told, silent=found.silent, advised=found.advised))
    return False


def switch(store: Store, user: User, wanted: Switch) -> None:
    """Save the change ``wanted`` of advice or the watch over harm, made by the person.

    Raises SetupError without a reason, and if the switch is set like that already.
    """
    reason = " ".join(wanted.reason.split())
    if not 1 <= len(reason) <= REASON_MAX or not reason.isprintable():
        raise SetupError(
            say('say why you switch, in 1 to 300 letters, such as: bridge watch off --because "I am travelling"')
        )
    if is_on(store.people.preferences(user.id).switches, wanted.what) is wanted.on:
        raise SetupError(
            say("this switch is set like that already, and nothing was changed; see both switches: bridge watch")
        )
    _switch(store, user, replace(wanted, by=PERSON, reason=reason))


def _switch(store: Store, user: User, one: Switch) -> None:
    with store.lock(f"switches of user {user.id}"):
        before = store.people.preferences(user.id).switches
        store.people.change_preferences(user.id, switches=(*before, one), now=one.at)


def why_off(store: Store, user: User, *, now: datetime) -> Fact:
    """Return the fact that says why advice is off. Call it only while advice is off."""
    one = next(one for one in reversed(store.people.preferences(user.id).switches) if one.what == ADVICE)
    at, command = one.at.astimezone(zone_at(now, user.zones)), f"bridge watch advice-on --user {user.name}"
    if one.by == PERSON:
        return fact("advice_off", day=at, command=command)
    return fact("advice_stopped", day=at, silent=one.silent, advised=one.advised, command=command)
