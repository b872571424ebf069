"""Hold the names of metrics and other kinds of data, and give them in the current language."""

from __future__ import annotations

from bridge.domain.languages import shown
from bridge.domain.metric_names import METRIC_NAMES, UNIT_NAMES
from bridge.web.phrases import capital


def kind_name(name: str) -> str:
    """Return the display name of a metric, or of another kind of data, within a sentence.

    >>> kind_name("resting_hr"), kind_name("hrv_rmssd"), kind_name("events")
    ('resting heart rate', 'HRV (RMSSD)', 'events')
    """
    return shown(METRIC_NAMES[name]) if name in METRIC_NAMES else name.replace("_", " ")


def heading(name: str) -> str:
    """Return the display name of a metric with a capital.

    >>> heading("resting_hr"), heading("planned")
    ('Resting heart rate', 'Planned')
    """
    return capital(kind_name(name))


def unit_name(unit: str) -> str:
    """Return a unit in the current language."""
    return shown(UNIT_NAMES[unit]) if unit in UNIT_NAMES else unit
