"""Two cohorts of diaries in the form of ``diary``: office workers (Menghini 2023) and a lockdown (Bailon 2020)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from statistics import fmean

from lab.validation.diary import Diary, diary

PLACES = ("diaries", ".")
LOAD = ("too_much", "work_fast", "multitasking", "hard_work")  # 1 to 7, of the work since the last prompt
WORSE = {
    "vigour": ("awake", "energyless", "rested"),
    "energy": ("energyless",),
    "calm": ("tense", "calm", "placid"),
    "mood": ("well", "discontent"),
}  # report -> items from 1 to 7, of which all are coded so that more is worse


def found(data: Path) -> list[Diary]:
    """Return the diaries that lie in a folder, or in its folder ``diaries``."""
    places = ((data / place / name, name) for name in READERS for place in PLACES)
    files = {name: path for path, name in places if path.is_file()}
    return [diary(path.stem, READERS[name](_lines(path))) for name, path in files.items()]


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _menghini(lines: Iterable[Mapping[str, str]]) -> Iterable[dict[str, str]]:
    for line in lines:
        if line["submission_timestamp"] == "NA":
            continue
        load = _mean(line, LOAD)
        reports = {f"report_{name}": 8 - said for name, items in WORSE.items() if (said := _mean(line, items))}
        yield {
            "person": line["id"],
            "at": line["submission_timestamp"],
            "demands": "" if load is None else f"{(load - 1) / 6}",
            "company": "" if line["whom"] == "NA" else f"{int(line['whom'] != 'ALONE')}",
            **{name: f"{value}" for name, value in reports.items()},
        }


def _bailon(lines: Iterable[Mapping[str, str]]) -> Iterable[dict[str, str]]:
    for line in lines:
        try:
            datetime.fromisoformat(line["timestamp_answer"])
        except ValueError:
            continue
        told = {f"report_{name}": line[name] for name in ("valence", "arousal") if line[name] != "NA"}
        yield {"person": line["id"], "at": line["timestamp_answer"], **told}


def _mean(line: Mapping[str, str], items: Iterable[str]) -> float | None:
    given = [float(line[item]) for item in items] if all(line[item] != "NA" for item in items) else []
    return fmean(given) if given else None


READERS: Mapping[str, Callable[[Iterable[Mapping[str, str]]], Iterable[dict[str, str]]]] = {
    "menghini_half.tsv": _menghini,
    "bailon_half.tsv": _bailon,
}
