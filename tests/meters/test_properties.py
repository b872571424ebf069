"""Laws that hold for every life."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridge.domain.metrics import Metric
from bridge.domain.rendering import told
from bridge.domain.types import Episode, EpisodeKind, Sample
from bridge.meters import METERS, Past, read, read_at
from rhythm_env.interface import ActionType, Meter

from .life import DAY, HOUR, MORNING, body, entry, known, night, nightly, steps, stress, task, weeks

agos = st.integers(0, 20)
sources = st.sampled_from(["whoop", "garmin"])
nights = st.builds(
    lambda ago, asleep, source, score: night(ago, asleep, source=source, sleep_score=score),
    agos,
    st.floats(0, 1400),
    sources,
    st.floats(0, 100),
)
samples = st.builds(
    lambda metric, ago, value, source: nightly(metric, ago, value, source=source),
    st.sampled_from([Metric.HRV_RMSSD, Metric.RESTING_HR, Metric.RECOVERY_SCORE, Metric.DEEP_SLEEP]),
    agos,
    st.floats(-10, 300),
    sources,
)
walks = st.builds(lambda ago, count: steps(ago, count), agos, st.integers(0, 40_000))
strains = st.builds(lambda m, value: stress(MORNING - m * HOUR / 20, value), st.integers(0, 9000), st.integers(-2, 100))
items = st.lists(st.one_of(nights, samples, walks, strains), max_size=40, unique_by=lambda item: item.key)
entries = st.builds(
    lambda back, length, action, others, busy: entry(
        MORNING - back * HOUR / 4, length, action, others=others, busy=busy
    ),
    st.integers(-100, 3000),
    st.floats(0, 5),
    st.sampled_from([*ActionType, None]),
    st.integers(0, 12),
    st.booleans(),
)
agendas = st.lists(entries, max_size=15)
tasks = st.lists(
    st.builds(
        lambda n, done, due: task(n, done=done, due=due), agos, st.none() | st.integers(-30, 300), st.none() | agos
    ),
    max_size=6,
).map(tuple)
moments = st.integers(0, 200).map(lambda hours: MORNING + 30 * HOUR - hours * HOUR)
lives = st.builds(lambda i, a, t, at: known(*i, agenda=a, tasks=t, at=at), items, agendas, tasks, moments)


@settings(deadline=None, max_examples=80)
@given(lives)
def test_readings_are_in_range_and_explain_themselves(life):
    for meter, reading in read(life).items():
        assert 0.05 <= reading.level <= 0.98
        assert 0 <= reading.state.level <= 0.98
        assert 0 < reading.sd <= 0.25
        assert 0 <= reading.coverage <= 1 + 1e-9
        assert (reading.coverage == 0) == (reading.because == ())
        assert sum(b.contribution for b in reading.because) == pytest.approx(reading.level - 0.7)
        assert reading.validated == (meter in (Meter.VITALITY, Meter.SERENITY))
        assert reading.validated or "not validated" in (reading.note or "")
        assert all(-3 <= b.z <= 3 and b.age_hours >= 0 and told(b.fact) for b in reading.because)


@settings(deadline=None, max_examples=60)
@given(lives, st.lists(st.integers(0, 900), min_size=1, max_size=8))
def test_an_index_that_was_read_before_gives_what_a_new_one_gives(life, quarters):
    """Kept judgements of nights and shared signals do not leak from one instant, in any order, into another."""
    instants = [life.at - n * HOUR / 4 for n in quarters]
    used, bare = Past(life, since=min(instants)), Past(life, since=min(instants), reasons=False)
    for at in (*instants, *instants[::-1]):
        new = read_at(Past(life, since=min(instants)), at)
        assert read_at(used, at) == new
        assert read_at(bare, at) == {meter: replace(one, because=()) for meter, one in new.items()}


@settings(deadline=None, max_examples=60)
@given(lives, items, agendas, st.integers(1, 100))
def test_nothing_later_counts(life, later_items, later_entries, hours):
    """Items that begin or end after the moment change nothing."""
    shift = timedelta(days=30, hours=hours)
    later = [_shifted(item, shift, f"later/{item.key}") for item in later_items]
    agenda = [(replace(o, start=o.start + 40 * DAY, end=o.end + 40 * DAY), label) for o, label in later_entries]
    more = replace(
        life,
        samples=[*life.samples, *(("whoop", i) for i in later if isinstance(i, Sample))],
        episodes=[*life.episodes, *(("whoop", i) for i in later if isinstance(i, Episode))],
        agenda=[*life.agenda, *agenda],
    )
    assert read(more) == read(life)


def _shifted(item, by, key):
    end = None if item.end is None else item.end + by
    return replace(item, key=key, start=item.start + by, end=end, day=item.day + by)


@settings(deadline=None, max_examples=60)
@given(lives, st.integers(0, 60))
@example(known(night(0), at=MORNING + 30 * HOUR), 24)
def test_an_earlier_moment_is_read_as_it_was_then(life, hours):
    then = life.at - hours * HOUR
    assert read_at(Past(life), then) == read(replace(life, at=then))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 5), st.integers(0, 48))
def test_a_night_a_day_later_changes_no_earlier_reading(ago, hours):
    before = body(days=30)
    late = [_shifted(item, DAY, item.key) if item.key == f"whoop/sleep/{ago}" else item for item in before]
    then = MORNING - ago * DAY - hours * HOUR - timedelta(minutes=1)
    assert read(known(*before, at=then)) == read(known(*late, at=then))


def test_nothing_at_all_is_exactly_normal():
    for meter, reading in read(known()).items():
        assert reading.coverage == 0
        assert reading.because == ()
        assert reading.note
        assert reading.level == 0.70
        assert reading.state.level == (0.70 if meter is not Meter.PROGRESS else pytest.approx(0.8 * 16 / 28))


@pytest.mark.parametrize("seed", range(5))
def test_variability_in_another_scale_moves_no_meter(seed):
    """A device that reads 30 % higher has its own baseline, so after two weeks nothing is left of it."""
    plain, scaled = (read(known(*(_times(i, factor) for i in body(seed, days=25)))) for factor in (1.0, 1.3))
    for meter in METERS:
        assert scaled[meter].level == pytest.approx(plain[meter].level, abs=0.004)


def _times(item, factor):
    return replace(item, value=item.value * factor) if getattr(item, "metric", None) is Metric.HRV_RMSSD else item


@pytest.mark.parametrize("seed", range(3))
def test_a_vendor_score_is_judged_against_its_own_normal(seed):
    """A vendor that marks everybody's nights 20 points lower moves the meter by what its scale was trusted at first."""
    plain, lower = (
        read(known(*(_marked(i, off) for i in body(seed, days=60))))[Meter.VITALITY].level for off in (0, -20)
    )
    assert lower == pytest.approx(plain, abs=0.05)


def _marked(item, off):
    if not isinstance(item, Episode) or item.kind is not EpisodeKind.SLEEP:
        return item
    return replace(item, values={**item.values, Metric.SLEEP_SCORE: item.values[Metric.SLEEP_SCORE] + off})


def test_titles_never_reach_the_reasons():
    agenda = [(replace(o, event=replace(o.event, title="Secret dinner")), label) for o, label in weeks()]
    readings = read(known(*body(), agenda=agenda, tasks=(task(1, done=3),)))
    assert "Secret" not in repr(readings)
    assert sum(len(reading.because) for reading in readings.values()) >= 12


def test_a_year_of_nights_is_read_from_the_last_sixty_days():
    """Leave out the sleep need of the oldest of them, which leans on most people without the six weeks before."""
    life = known(*body(days=365), agenda=weeks())
    recent = replace(life, episodes=[pair for pair in life.episodes if pair[1].day > MORNING.date() - 79 * DAY])
    whole, part = read(life), read(recent)
    for meter in METERS:
        assert part[meter].level == pytest.approx(whole[meter].level, abs=0.002)
        assert [told(one.fact) for one in part[meter].because] == [told(one.fact) for one in whole[meter].because]
