"""Recurrence where calendars go wrong: instance for instance what recurring-ical-events finds, over five years."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ics.components import calendar, vevent
from tests.ics.test_expansion import ours, theirs

SINCE, UNTIL = datetime(2023, 12, 31, 12, tzinfo=UTC), datetime(2028, 12, 31, 12, tzinfo=UTC)
BERLIN = ("DTSTART;TZID=Europe/Berlin:20240131T023000", "DTEND;TZID=Europe/Berlin:20240131T033000")
DAY = ("DTSTART;VALUE=DATE:20240229", "DTEND;VALUE=DATE:20240302")
CASES = {
    "at the hour that clocks skip and repeat": [*BERLIN, "RRULE:FREQ=DAILY"],
    "on the 31st, where there is one": [*BERLIN, "RRULE:FREQ=MONTHLY"],
    "on the last day of each month": [*BERLIN, "RRULE:FREQ=MONTHLY;BYMONTHDAY=-1"],
    "on the last weekday of each month": [*BERLIN, "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"],
    "on the second Tuesday and the last Friday": [*BERLIN, "RRULE:FREQ=MONTHLY;BYDAY=2TU,-1FR"],
    "on 29 February": [*DAY, "RRULE:FREQ=YEARLY"],
    "on a Friday the 13th": [*BERLIN, "RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13"],
    "every other week that begins on Sunday": [*BERLIN, "RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,SU"],
    "by number of the week": [*BERLIN, "RRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO"],
    "by day of the year": [*BERLIN, "RRULE:FREQ=YEARLY;BYYEARDAY=1,100,-1"],
    "so many times, counted before what is excluded": [
        *BERLIN,
        "RRULE:FREQ=WEEKLY;COUNT=100",
        "EXDATE;TZID=Europe/Berlin:20240207T023000,20240214T023000",
    ],
    "until an instant in UTC": [*BERLIN, "RRULE:FREQ=DAILY;UNTIL=20260401T003000Z"],
    "excluded in another zone": [*BERLIN, "RRULE:FREQ=DAILY", "EXDATE;TZID=America/New_York:20240209T203000"],
    "with more dates, one of them twice": [
        *BERLIN,
        "RRULE:FREQ=MONTHLY;COUNT=12",
        "RDATE;TZID=Europe/Berlin:20240601T100000,20240331T023000",
    ],
    "all day, with a day left out": [*DAY, "RRULE:FREQ=MONTHLY;COUNT=40", "EXDATE;VALUE=DATE:20240329"],
    "through midnight, at the bounds": [
        "DTSTART;TZID=Asia/Kolkata:20231230T233000",
        "DTEND;TZID=Asia/Kolkata:20231231T003000",
        "RRULE:FREQ=DAILY;INTERVAL=3",
    ],
    "with a length instead of an end": [BERLIN[0], "DURATION:PT26H", "RRULE:FREQ=WEEKLY"],
}
CHANGED = {
    "one moved to another zone": ["RECURRENCE-ID;TZID=Europe/Berlin:20240214T023000", "DTSTART:20240215T120000Z"],
    "one cancelled": ["RECURRENCE-ID;TZID=Europe/Berlin:20240214T023000", BERLIN[0], "STATUS:CANCELLED"],
    "one named in UTC": ["RECURRENCE-ID:20240214T013000Z", "DTSTART:20240214T090000Z", "DTEND:20240214T100000Z"],
    "this and all that follow": [
        "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20240214T023000",
        "DTSTART;TZID=Europe/Berlin:20240214T053000",
        "DTEND;TZID=Europe/Berlin:20240214T060000",
    ],
}


def alike(*lines: str) -> int:
    """Return the number of instances that both find, each with the same start.

    Ends may differ by the hour that clocks are changed by: ours keep the exact duration (RFC 5545, 3.8.5.3), theirs the
    wall time of the end.
    """
    content = calendar(*lines)
    found, wanted = (sorted(start for start, _ in of(content, SINCE, UNTIL).elements()) for of in (ours, theirs))
    assert found == wanted
    return len(found)


@pytest.mark.parametrize("case", CASES)
def test_a_series(case: str) -> None:
    assert alike(*vevent(*CASES[case])) > 0


@pytest.mark.parametrize("case", CHANGED)
def test_a_change_in_a_series(case: str) -> None:
    weekly = vevent(*BERLIN, "RRULE:FREQ=WEEKLY", "SEQUENCE:0")
    assert alike(*weekly, *vevent(*CHANGED[case], "SEQUENCE:1")) > 200


RULES = st.fixed_dictionaries(
    {"FREQ": st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]), "INTERVAL": st.integers(1, 5)},
    optional={
        "BYDAY": st.lists(st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"]), min_size=1, unique=True).map(
            ",".join
        ),
        "COUNT": st.integers(1, 300),
    },
)


@settings(max_examples=25, deadline=None)
@given(
    rule=RULES,
    first=st.datetimes(datetime(2024, 1, 1), datetime(2025, 12, 31)).map(lambda at: at.replace(microsecond=0)),  # noqa: DTZ001
    zone=st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]),
    minutes=st.integers(1, 3000),
)
def test_any_rule(rule: dict[str, object], first: datetime, zone: str, minutes: int) -> None:
    text = ";".join(f"{name}={value}" for name, value in rule.items())
    lines = (f"DTSTART;TZID={zone}:{first:%Y%m%dT%H%M%S}", f"DURATION:PT{minutes}M", f"RRULE:{text}")
    assert alike(*vevent(*lines)) > 0
