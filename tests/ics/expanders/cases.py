"""Small calendars of the kinds that people reported, written anew."""

from __future__ import annotations

from tests.ics.components import calendar, vevent

OUTLOOK = "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna"
CUSTOM = (
    *("BEGIN:VTIMEZONE", "TZID:tzone://Microsoft/Custom", "BEGIN:STANDARD", "DTSTART:16010101T030000"),
    *("TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10", "END:STANDARD"),
    *("BEGIN:DAYLIGHT", "DTSTART:16010101T020000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200"),
    *("RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3", "END:DAYLIGHT", "END:VTIMEZONE"),
)
DAY = ("DTSTART;VALUE=DATE:20261020", "DTEND;VALUE=DATE:20261021")
UTC = ("DTSTART:20261123T080000Z", "DTEND:20261123T081000Z")


def _karaoke() -> list[str]:
    times = [(f"DTSTART:202607{day}T193000Z", f"DTEND:202607{day}T233000Z") for day in (16, 17, 18)]
    return [line for time in times for line in vevent(*time, uid="2026-189")]


CASES = {
    "all-day until an instant": vevent(*DAY, "RRULE:FREQ=YEARLY;UNTIL=20261019T220000Z;BYMONTHDAY=20;BYMONTH=10"),
    "all-day until the day's last second": vevent(*DAY, "RRULE:FREQ=DAILY;UNTIL=20261021T215959Z"),
    "all-day without an instant": vevent(*DAY, "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20261020T220000Z"),
    "a zone of Outlook's own": [
        *CUSTOM,
        *vevent(
            "DTSTART;TZID=tzone://Microsoft/Custom:20260506T163000",
            "DTEND;TZID=tzone://Microsoft/Custom:20260506T173000",
            "RRULE:FREQ=MONTHLY;COUNT=8",
        ),
    ],
    "a zone as Outlook shows it": vevent(f'DTSTART;TZID="{OUTLOOK}":20260715T100000', "DURATION:PT1H"),
    "a date left out in a zone of Windows": vevent(
        "DTSTART:20260105T080000Z",
        "DTEND:20260105T083000Z",
        "RRULE:FREQ=WEEKLY;COUNT=3",
        "EXDATE;TZID=W. Europe Standard Time:20260112T090000",
    ),
    "every twelve hours": vevent(*UTC, "RRULE:FREQ=HOURLY;INTERVAL=12;COUNT=6"),
    "every eight hours in minutes": vevent(*UTC, "RRULE:FREQ=MINUTELY;INTERVAL=480;COUNT=6"),
    "on days of the year": vevent(*UTC, "RRULE:FREQ=YEARLY;BYYEARDAY=327,329;COUNT=4"),
    "the Gregorian calendar": vevent(*UTC, "RRULE:RSCALE=GREGORIAN;FREQ=WEEKLY;COUNT=3"),
    "blanks in a rule": vevent(*UTC, "RRULE:FREQ=WEEKLY; BYDAY=MO, WE;COUNT=4"),
    "several events with one UID": _karaoke(),
    "a message that cancels": ["METHOD:CANCEL", *vevent(*UTC)],
    "an end that is a day": vevent("DTSTART:20260115T100000Z", "DTEND;VALUE=DATE:20260116"),
    "a length of a day": vevent(
        "DTSTART;TZID=Europe/Berlin:20260328T120000", "DURATION:P1D", "RRULE:FREQ=DAILY;COUNT=3"
    ),
    "a day with midnights": vevent(
        *("DTSTART;TZID=Europe/Berlin:20261020T000000", "DTEND;TZID=Europe/Berlin:20261021T000000"),
        "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE",
    ),
}


def written() -> dict[str, bytes]:
    """Return each case as a calendar, by its name."""
    return {name: calendar(*lines) for name, lines in CASES.items()}
