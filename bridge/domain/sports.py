"""Names of sports: one name for what each vendor and each person calls differently."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

PREFIX = "HKWorkoutActivityType"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z_]+")

# Normalised name -> other names of the very same sport, in plain words. A part of a sport has a name of its own.
SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "running": ("run", "jog", "jogging", "laufen", "lauf", "joggen"),
        "treadmill running": ("treadmill", "indoor run", "indoor running", "treadmill run", "laufband"),
        "trail running": ("trail run",),
        "walking": ("walk", "gehen", "spaziergang", "spazieren"),
        "hiking": ("hike", "wandern", "wanderung"),
        "cycling": ("bike", "biking", "bicycle", "bicycling", "ride", "cycle", "radfahren", "rad"),
        "outdoor cycling": ("outdoor bike", "outdoor cycle", "outdoor ride", "road biking", "road cycling"),
        "indoor cycling": ("spinning", "spin", "indoor cycle", "indoor bike", "stationary bike", "biking stationary"),
        "mountain biking": ("mountain bike", "mtb"),
        "swimming": ("swim", "schwimmen"),
        "pool swimming": ("pool swim", "lap swimming", "swimming pool"),
        "open water swimming": ("open water", "open water swim", "swimming open water"),
        "strength training": ("strength", "krafttraining", "traditional strength training"),
        "weightlifting": ("weights", "weight lifting", "weight training", "weightlifter"),
        "rowing": ("row", "rudern"),
        "indoor rowing": ("rower", "rowing machine", "indoor row"),
        "elliptical": ("elliptical trainer", "crosstrainer", "cross trainer", "elliptical machine"),
        "high intensity interval training": ("hiit",),
        "interval training": ("intervals", "interval workout"),
        "aerobic workout": ("aerobics", "aerobic", "aerobic training"),
        "cardio": ("cardio workout", "mixed cardio", "indoor cardio", "cardio training"),
        "stair climbing": ("stairs", "stairclimber", "stair climber", "stair stepper", "stair stepping"),
        "football": ("soccer", "fussball", "fußball"),
        "dancing": ("dance", "tanzen"),
        "rock climbing": ("climbing", "climb", "klettern"),
        "skiing": ("ski", "downhill skiing", "alpine skiing", "skifahren"),
        "cross country skiing": ("nordic skiing", "langlauf"),
        "snowboarding": ("snowboard",),
    }
)
_NORMALISED = {other: name for name, others in SYNONYMS.items() for other in (name, *others)}


def plain(label: str) -> str:
    """Return a vendor's name of a sport in lower case and separate words.

    >>> plain("HKWorkoutActivityTypeRunning"), plain("strength_training"), plain("TraditionalStrengthTraining")
    ('running', 'strength training', 'traditional strength training')
    """
    return " ".join(_WORD.findall(label.strip().removeprefix(PREFIX))).lower()


def normalised(label: str) -> str:
    """Return the one name of a sport, or its plain words where no synonym is known.

    >>> normalised("Run"), normalised("lap_swimming"), normalised("Unicycling")
    ('running', 'pool swimming', 'unicycling')
    """
    words = plain(label)
    return _NORMALISED.get(words, words)


def names(label: str) -> tuple[str, ...]:
    """Return all names of a workout's sport: as told, in plain words, the normalised one and its synonyms.

    >>> names("Run")[:4]
    ('Run', 'run', 'running', 'run')
    """
    return (label, plain(label), name := normalised(label), *SYNONYMS.get(name, ()))


def is_known(name: str) -> bool:
    """Return True if a name is that of a known sport or one of its synonyms."""
    return plain(name) in _NORMALISED


def is_sport(label: str | None, asked: str) -> bool:
    """Return True if a workout's label names the sport asked for, as told, in plain words or by a synonym."""
    if label is None:
        return False
    return label.casefold().strip() == asked.casefold().strip() or normalised(label) == normalised(asked)
