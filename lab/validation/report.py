"""The tables for the documentation, put between the marks of a document whose other words stay as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge.domain.errors import SetupError
from lab.validation import Result

MEAN_BEFORE = "mean before"
HEADINGS = ("predictor", "median", "IQR", "mean", "95 % CI", "persons", "days", "null 95 %", "p")
IN_A_TERMINAL = tuple(heading for heading in HEADINGS if heading != "null 95 %")


def markdown(results: Sequence[Result], command: str) -> str:
    """Return the report's text, with the method and each cohort's tables, a table per target."""
    written = f"{', '.join(result.name for result in results)}: written by `{command}`."
    return "\n".join([written, *(line for result in results for line in _cohort(result))])


def shown(row: Mapping[str, Any]) -> dict[str, str]:
    """Return a row as column -> text, in the order of ``HEADINGS``."""
    cells = (
        row["predictor"] + (" (!)" if "warning" in row else ""),
        _signed(row["median"]),
        _range(row["iqr"]),
        _signed(row["mean"]),
        _range(row["ci95"]),
        f"{row['persons']}",
        f"{row['days']:,}",
        _range(row.get("null95")),
        f"{row['p']:.3f}" if "p" in row else "",
    )
    told = dict(zip(HEADINGS, cells, strict=True))
    if "before" in row:
        earlier = row["before"]
        told[MEAN_BEFORE] = "" if earlier is None else f"{_signed(earlier['mean'])} {_range(earlier['ci95'])}".strip()
    return told


def headings(rows: Sequence[Mapping[str, Any]], chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the chosen headings, with the earlier mean where the rows tell it."""
    return (*chosen, MEAN_BEFORE) if any("before" in row for row in rows) else tuple(chosen)


def _identity(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["cohort"], row["target"], row["predictor"]


def compare(results: Sequence[Result], before: Path) -> None:
    """Put the means and intervals of an earlier run's JSON into the rows as ``before``.

    Raises SetupError for a file that no run printed.
    """
    try:
        earlier = {_identity(row): row for row in json.loads(before.read_text(encoding="utf-8"))}
        told = {key: {"mean": row["mean"], "ci95": row["ci95"]} for key, row in earlier.items()}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SetupError(
            f"{before} is not what a run printed ({type(error).__name__}); print one: bridge validate-meters --json"
        ) from None
    for row in (row for result in results for row in result.rows):
        row["before"] = told.get(_identity(row))


def by_target(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["target"], []).append(row)
    return found


def notes(result: Result) -> Iterator[str]:
    """Return the assumptions, the rows set aside, and the values too good to believe."""
    yield from (f"Assumed: {text}." for text in result.assumed)
    yield from (f"Set aside: {reason} ({count})." for reason, count in sorted(result.aside.items()))
    for row in result.rows:
        if "warning" in row:
            yield f"(!) {row['predictor']} against {row['target']}: {row['warning']}."


def _cohort(result: Result) -> Iterator[str]:
    yield from ("", f"## {result.name}" + (f" ({result.licence})" if result.licence else ""), "")
    yield from (f"- {note}" for note in notes(result))
    for target, rows in by_target(result.rows).items():
        named = headings(rows, HEADINGS)
        yield from ("", f"### {result.name}: {target}", "", "| " + " | ".join(named) + " |", _ruler(len(named)))
        yield from ("| " + " | ".join(shown(row).values()) + " |" for row in rows)


def _ruler(columns: int) -> str:
    return "|---" + "|---:" * (columns - 1) + "|"


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _range(ends: Sequence[float | None] | None) -> str:
    if ends is None or None in ends:
        return ""
    return "[" + ", ".join(f"{end:.2f}".replace("0.", ".", 1) for end in ends) + "]"
