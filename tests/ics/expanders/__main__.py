"""Compare our expansion of calendars with recurring-ical-events and with ical.js. See: make test-calendars.

Public calendars of many years are taken from a folder, or are fetched into it. They are no part of the project.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
import warnings
from collections import Counter
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tests.ics.expanders.cases import written
from tests.ics.test_expansion import HOME, ours, theirs

Instances = Counter[tuple[str, str]]
SOURCES = {  # name -> repository, commit, path
    "aberystwyth": ("joelparkerhenderson/aberystwyth.info", "2104373fa446e69f45fbe59350e80ac70b0a859c", "basic.ics"),
    "bamru": ("BAMRU-Tech/BAMRU-Tech.github.io", "6b4d2493a5b4e7516ffd1e2a3586489897f62513", "basic.ics"),
    "galaxy": ("hexylena/galaxy-calendar-subsets", "fe7583f7e51cf883f830a8103295f0c0980049d4", "basic.ics"),
    "nerdnyc": ("epistech/larp-calendar", "cc4fbd4925fb3c7df88f2dff33cdca300fd9c54b", "nerdnyc.ics"),
    "planning": ("iamamoose/gb-planning-committee", "2c848eefaee6c581fd057218ec85adece7021f69", "basic.ics"),
    "signage": ("tomviolin/signage", "8018e848d793f3e6a6f146f3d400b662e3a96068", "basic.ics"),
    "twbooks": ("brobostigon/twbooks", "fe646ebd0cc61fc177ed5b8988150c11472af314", "basic.ics"),
}
DAY = "the day that an instant means is known by the clock of home; they take its date in UTC"
UNTIL = "a rule that ends on a day may still match on that day (RFC 5545 leaves the mixture open)"
CANNOT = "they cannot read it"
KNOWN = {  # (calendar, expander) -> why it differs
    ("aberystwyth", "recurring-ical-events"): "a series in UTC stays in UTC; they move it to the zone in X-WR-TIMEZONE",
    ("galaxy", "recurring-ical-events"): UNTIL,
    ("galaxy", "ical.js"): UNTIL,
    ("twbooks", "ical.js"): "a first start that its rule lacks counts (RFC 5545, 3.8.5.3), and so does its change",
    ("all-day until an instant", "recurring-ical-events"): DAY,
    ("all-day until an instant", "ical.js"): DAY,
    ("all-day without an instant", "recurring-ical-events"): DAY,
    ("all-day without an instant", "ical.js"): DAY,
    ("a zone of Outlook's own", "recurring-ical-events"): CANNOT,
    ("a zone of Outlook's own", "ical.js"): CANNOT,
    ("a date left out in a zone of Windows", "ical.js"): "they know no zones of Windows",
    ("the Gregorian calendar", "recurring-ical-events"): CANNOT,
    ("blanks in a rule", "recurring-ical-events"): CANNOT,
    ("blanks in a rule", "ical.js"): "they drop the days behind a blank",
    ("several events with one UID", "recurring-ical-events"): "they keep one of them",
    ("a message that cancels", "recurring-ical-events"): "they do not look at METHOD",
    ("a message that cancels", "ical.js"): "they do not look at METHOD",
    (
        "an end that is a day",
        "ical.js",
    ): "a day ends at midnight on the clock of the start; they leave it without a clock",
}


def fetch(folder: Path) -> None:
    """Fetch the public calendars that a folder lacks."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (repository, commit, path) in SOURCES.items():
        place = folder / f"{name}.ics"
        if not place.exists():
            with urllib.request.urlopen(
                f"https://raw.githubusercontent.com/{repository}/{commit}/{path}", timeout=60
            ) as answer:
                place.write_bytes(answer.read())


def by_ical_js(library: Path, content: bytes, since: datetime, until: datetime) -> Instances:
    """Return the instances that ical.js finds. Raises ValueError if it cannot read the calendar."""
    with tempfile.NamedTemporaryFile(suffix=".ics") as file:
        file.write(content)
        file.flush()
        script = Path(__file__).with_name("expand.mjs")
        command = ["node", str(script), str(library), file.name, since.isoformat(), until.isoformat()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr[-500:])
    stated = re.search(rb"^X-WR-TIMEZONE:([^\r\n]+)", content, re.MULTILINE)
    home = ZoneInfo(stated.group(1).decode() if stated else HOME)
    found = {(uid, _instant(begun, home), _instant(ended, home)) for uid, begun, ended in json.loads(done.stdout)}
    within = [(a, b) for _, a, b in found if a < until and (b > since or a == b == since)]
    return Counter((a.isoformat(), b.isoformat()) for a, b in within)


def _instant(text: str, home: ZoneInfo) -> datetime:
    if len(text) == len("2026-10-20"):
        return datetime.combine(date.fromisoformat(text), time(), ZoneInfo(HOME)).astimezone(UTC)
    at = datetime.fromisoformat(text)
    return (at if at.tzinfo else at.replace(tzinfo=home)).astimezone(UTC)


def span_of(content: bytes) -> tuple[datetime, datetime]:
    """Return from the end of the year before a calendar's first event to two years after its last."""
    years = [int(year) for year in re.findall(rb"^DTSTART[^\r\n]*:(\d{4})", content, re.MULTILINE)]
    kept = [year for year in years if year > 1971]  # time zones begin in 1970
    return datetime(min(kept) - 1, 12, 31, 12, tzinfo=UTC), datetime(max(kept) + 3, 1, 1, 12, tzinfo=UTC)


def compare(name: str, content: bytes, library: Path) -> list[list[Any]]:
    """Return a row for each expander: calendar, expander, instances, only ours, only theirs, why."""
    span = span_of(content)
    mine, rows = ours(content, *span), []
    expanders = {
        "recurring-ical-events": lambda: theirs(content, *span),
        "ical.js": lambda: by_ical_js(library, content, *span),
    }
    for expander, expand in expanders.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = expand()
        except (ValueError, KeyError, TypeError, AttributeError):
            found = Counter()
        less, more = (mine - found).total(), (found - mine).total()
        why = KNOWN.get((name, expander), "UNEXPLAINED") if less or more else ""
        rows.append([name, expander, mine.total(), less, more, why])
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.ics.expanders")
    parser.add_argument("folder", type=Path, help="a folder of .ics files; those of SOURCES are known by name")
    parser.add_argument("--ical-js", type=Path, required=True, help="ical.js of the npm package ical.js")
    parser.add_argument("--fetch", action="store_true", help="fetch the public calendars that the folder lacks")
    given = parser.parse_args()
    if given.fetch:
        fetch(given.folder)
    calendars = {path.stem: path.read_bytes() for path in sorted(given.folder.glob("*.ics"))} | written()
    rows = [row for name, content in calendars.items() for row in compare(name, content, given.ical_js)]
    print("| calendar | compared with | instances | only ours | only theirs | why |\n|---|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    unexplained = sum(row[-1] == "UNEXPLAINED" for row in rows)
    print(f"\n{len(calendars)} calendars, {unexplained} unexplained differences", file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
