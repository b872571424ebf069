"""The device of a user in Home Assistant, with its entities (such as meters and buttons) and their states.

Source: home-assistant.io, "MQTT", device discovery, and Home Assistant's ``components/mqtt`` (``schemas.py``,
``sensor.py``, ``event.py``, ``button.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import bridge
from bridge.advice import notify
from bridge.advice.wishing import Because
from bridge.daemon.mqtt.link import Names
from bridge.day.body import ModeKind
from bridge.domain import sports
from bridge.domain.metrics import METRICS, NIGHT_MINUTES, Metric
from bridge.domain.records import Recommendation, User
from bridge.domain.rendering import Audience, reasons
from bridge.domain.slots import local_time, today_at
from bridge.domain.titles import ANSWER_BUTTONS
from bridge.domain.types import Reading
from bridge.meters.words import reading_words
from bridge.query.model import WORKOUT_UNITS
from bridge.query.parse import Words, query_of
from bridge.query.rows import load_tables
from bridge.query.tables import Row
from rhythm_env.interface import Answer, Meter

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge


MODE, WISH, BECAUSE, CONFIRM = (
    "set_mode",
    "set_wish",
    "set_because",
    "confirm_wish",
)  # the last parts of orders' topics
NOTE = "set_note"
PARTS = (MODE, WISH, BECAUSE, CONFIRM, NOTE)
MODES, REASONS = tuple(map(str, ModeKind)), tuple(map(str, Because))
STATE_MAX = 255  # characters that Home Assistant shows
EVENT_TYPE = "recommended"
REASONS_MAX = 5
PRESSES = {str(answer).lower(): answer for answer in ANSWER_BUTTONS}
BUTTON_ICONS = {
    Answer.ACCEPT: "mdi:check",
    Answer.IGNORE: "mdi:close",
    Answer.RESCHEDULE: "mdi:clock-outline",
}
METER_ICONS = {
    Meter.VITALITY: "mdi:heart-pulse",
    Meter.COGNITION: "mdi:head-lightbulb-outline",
    Meter.PROGRESS: "mdi:progress-check",
    Meter.SERENITY: "mdi:meditation",
    Meter.CONNECTION: "mdi:account-group-outline",
}
NIGHT_DAYS, WORKOUT_DAYS = 1, 30  # how old the night and the workout may be
OF_NIGHT = (
    *sorted(NIGHT_MINUTES),
    *(Metric.SLEEP_EFFICIENCY, Metric.SLEEP_SCORE, Metric.RESTING_HR, Metric.HRV_RMSSD, Metric.RESPIRATORY_RATE),
)
SLEEP, WORKOUT = "night", "last_workout"  # parts of a device
TIMES = {"sleep_start": ("Sleep start", "start", "mdi:bed-clock"), "sleep_end": ("Sleep end", "end", "mdi:alarm")}


def discovery(names: Names, user: User, url: str | None) -> dict[str, Any]:
    """Return the message that makes Home Assistant add a user's device. ``url`` is the page's address, or None."""
    device = names.device(user)
    about: dict[str, Any] = {
        "identifiers": [device],
        "name": f"rhythm-bridge {user.name}",
        "manufacturer": "rhythm-bridge",
        "sw_version": bridge.__version__,
    }
    return {
        "device": about if url is None else {**about, "configuration_url": url},
        "origin": {"name": "rhythm-bridge", "sw_version": bridge.__version__},
        "qos": 1,
        "components": {
            **{str(meter).lower(): _meter(names, device, meter) for meter in Meter},
            "recommendation": _recommendation(names, device),
            "recommended": _event(names, device),
            **{word: _button(names, device, word) for word in PRESSES},
            "because": _because(names, device),
            "mode": _mode(names, device),
            "wish": _text(names, device, "wish", "Wish", "mdi:comment-text-outline"),
            "note": _text(names, device, "note", "Note", "mdi:note-plus-outline"),
            "confirm_wish": _confirm(names, device),
            **_lately(names, device),
        },
    }


def _common(names: Names, device: str, part: str, name: str, icon: str) -> dict[str, Any]:
    return {
        "unique_id": f"{device}_{part}",
        "name": name,
        "icon": icon,
        "availability": [{"topic": names.status}],
        "availability_mode": "all",
    }


def _meter(names: Names, device: str, meter: Meter) -> dict[str, Any]:
    part = str(meter).lower()
    topic = names.topic(device, part)
    return {
        **_common(names, device, part, part.capitalize(), METER_ICONS[meter]),
        "platform": "sensor",
        "state_topic": topic,
        "value_template": "{{ value_json.level }}",
        "json_attributes_topic": topic,
        "unit_of_measurement": "%",
        "state_class": "measurement",
    }


def _open(names: Names, device: str) -> dict[str, Any]:
    return {"availability": [{"topic": names.status}, {"topic": names.topic(device, "open")}]}


def _recommendation(names: Names, device: str) -> dict[str, Any]:
    topic = names.topic(device, "recommendation")
    return {
        **_common(names, device, "recommendation", "Recommendation", "mdi:compass-outline"),
        **_open(names, device),
        "platform": "sensor",
        "state_topic": topic,
        "value_template": "{{ value_json.action }}",
        "json_attributes_topic": topic,
    }


def _event(names: Names, device: str) -> dict[str, Any]:
    return {
        **_common(names, device, "recommended", "New recommendation", "mdi:bell-outline"),
        "platform": "event",
        "state_topic": names.topic(device, "recommended"),
        "event_types": [EVENT_TYPE],
    }


def _button(names: Names, device: str, word: str) -> dict[str, Any]:
    answer = PRESSES[word]
    return {
        **_common(names, device, word, ANSWER_BUTTONS[answer], BUTTON_ICONS[answer]),
        **_open(names, device),
        "platform": "button",
        "command_topic": names.topic(device, "answer"),
        "payload_press": word,
        "qos": 1,
    }


def _because(names: Names, device: str) -> dict[str, Any]:
    return {
        **_common(names, device, "because", "Not now, because", "mdi:comment-question-outline"),
        **_open(names, device),
        "platform": "select",
        "options": list(REASONS),
        "command_topic": names.topic(device, BECAUSE),
        "qos": 1,
    }


def _mode(names: Names, device: str) -> dict[str, Any]:
    topic = names.topic(device, "mode")
    return {
        **_common(names, device, "mode", "These days", "mdi:calendar-star"),
        "platform": "select",
        "state_topic": topic,
        "value_template": "{{ value_json.mode }}",
        "json_attributes_topic": topic,
        "options": list(MODES),
        "command_topic": names.topic(device, MODE),
        "qos": 1,
    }


def _text(names: Names, device: str, part: str, name: str, icon: str) -> dict[str, Any]:
    topic = names.topic(device, part)
    return {
        **_common(names, device, part, name, icon),
        "platform": "text",
        "state_topic": topic,
        "value_template": "{{ value_json.text }}",
        "json_attributes_topic": topic,
        "command_topic": names.topic(device, f"set_{part}"),
        "max": STATE_MAX,
        "qos": 1,
    }


def _lately(names: Names, device: str) -> dict[str, Any]:
    topics = {part: names.topic(device, part) for part in (SLEEP, WORKOUT)}
    return {
        part: {**_common(names, device, part, fields["name"], fields["icon"]), "platform": "sensor", **fields}
        for part, fields in sensors(topics).items()
    }


def _confirm(names: Names, device: str) -> dict[str, Any]:
    return {
        **_common(names, device, "confirm_wish", "Confirm the wish", "mdi:check-circle-outline"),
        "platform": "button",
        "command_topic": names.topic(device, CONFIRM),
        "payload_press": "confirm",
        "qos": 1,
    }


def meter_state(reading: Reading) -> dict[str, Any]:
    """Return a meter's state in per cent, words and reasons. At coverage 0, level and uncertainty are None."""
    known = reading.coverage > 0
    return {
        "level": round(100 * reading.level) if known else None,
        "words": reading_words(reading)[1] if known else "not known",
        "uncertainty": round(100 * reading.sd) if known else None,
        "coverage": round(reading.coverage, 2),
        "because": reasons((one.fact for one in reading.strongest[:REASONS_MAX]), Audience.LOCK_SCREEN),
    }


def advice_state(advice: Recommendation | None, user: User, events: Sequence[str] = ()) -> dict[str, Any]:
    """Return the state of the recommendation, with the texts of its notification. Without one, all fields are None.

    ``events`` are titles of calendar events for the text.
    """
    if advice is None:
        return dict.fromkeys(("action", "id", "title", "text", "start", "end", "answer", "expires_at"))
    title, text = notify.compose(advice, {}, events, zones=user.zones)
    start, end, expires = (
        None if at is None else local_time(at, user.zones).isoformat()
        for at in (advice.start, advice.end, advice.expires_at)
    )
    return {
        "action": str(advice.action).lower(),
        "id": advice.id,
        "title": title,
        "text": text,
        "start": start,
        "end": end,
        "answer": None if advice.answer is None else str(advice.answer).lower(),
        "expires_at": expires,
    }


def event_of(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the event that announces a new recommendation, from its state by ``advice_state``."""
    told = {name: state[name] for name in ("action", "id", "title", "text", "start", "end")}
    return {"event_type": EVENT_TYPE, **told}


def sensors(topics: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return entity -> its fields in the discovery message, for last night and workout.

    ``topics`` maps the parts SLEEP and WORKOUT to their topics.
    """
    found: dict[str, dict[str, Any]] = {
        part: {
            "name": name,
            "icon": icon,
            "state_topic": topics[SLEEP],
            "value_template": f"{{{{ value_json.{field} }}}}",
            "device_class": "timestamp",
        }
        for part, (name, field, icon) in TIMES.items()
    }
    found["last_night"] = {
        "name": "Asleep last night",
        "icon": "mdi:sleep",
        "state_topic": topics[SLEEP],
        "value_template": "{{ value_json.asleep }}",
        "json_attributes_topic": topics[SLEEP],
        "device_class": "duration",
        "unit_of_measurement": METRICS[Metric.ASLEEP].unit,
    }
    found[WORKOUT] = {
        "name": "Last workout",
        "icon": "mdi:run",
        "state_topic": topics[WORKOUT],
        "value_template": "{{ value_json.sport }}",
        "json_attributes_topic": topics[WORKOUT],
    }
    return found


def states(bridge: Bridge, user: User, now: datetime, *, titles: bool) -> dict[str, dict[str, Any]]:
    """Return the states of SLEEP and WORKOUT, with None in fields that are unknown.

    Without ``titles``, an unusual sport is "workout", because its name may be the user's own words.
    """
    today = today_at(now, user.zones)
    since = str(today - timedelta(days=WORKOUT_DAYS))
    where = (*(f"{metric} > 0" for metric in OF_NIGHT), "workout.minutes > 0")  # so that all of these are read
    tables = load_tables(bridge, user, query_of(Words(what="nights", since=since, where=where)), now=now)
    day = max((one for one in tables.nights if one >= today - timedelta(days=NIGHT_DAYS)), default=None)
    night = {str(metric): None if day is None else tables.values[metric].get(day) for metric in OF_NIGHT}
    workout = max(tables.workouts, key=lambda row: str(row.fields["start"]), default=None)
    figures = {name: None if workout is None else workout.values.get(name) for name in WORKOUT_UNITS}
    return {
        SLEEP: {"day": day and str(day), **_times(None if day is None else tables.nights[day]), **night},
        WORKOUT: {"sport": workout and _sport(workout, titles=titles), **_times(workout), **figures},
    }


def _times(row: Row | None) -> dict[str, Any]:
    return {end: row and row.fields[end] for end in ("start", "end")}


def _sport(workout: Row, *, titles: bool) -> str:
    label = workout.name or ""
    if sports.is_known(label):
        return sports.normalised(label)
    return label if titles and label else "workout"
