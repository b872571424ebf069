"""Name and rank the origins of Health Connect's records (app and device). Of equal records one origin counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Device.type of androidx.health.connect.client.records.metadata.
WATCH, PHONE, RING, BAND, STRAP = 1, 2, 4, 6, 7
WORN = (WATCH, RING, BAND, STRAP)
ON_PHONE = ("android", "com.google.android.apps.fitness")  # the phone's own counters of steps
MIRRORS = ("nl.appyhapps.healthsync",)  # apps that copy records of other apps
AGGREGATED = ""  # the origin of sums that the sending app made


def origin_of(row: Mapping[str, Any]) -> str:
    """Return the origin of a record as ``package#TYPE``, without ``#TYPE`` if the device is not told.

    It is empty for a record that names no app, such as a sum over origins.

    >>> origin_of({"metadata": {"data_origin": "com.fitbit.FitbitMobile", "device": {"type": 1}}})
    'com.fitbit.FitbitMobile#1'
    """
    found = row.get("metadata")
    metadata: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    name = metadata.get("data_origin", row.get("source"))
    if not isinstance(name, str):
        return AGGREGATED
    device = metadata.get("device")
    kind = device.get("type") if isinstance(device, Mapping) else None
    return f"{name}#{kind}" if type(kind) is int and 0 < kind < 100 else name


def rank(origin: str) -> int:
    """Return an origin's rank, from 0 for the most trusted to 3.

    Devices that are worn come first, then unknown devices, then phones, and last apps that copy records of other apps.

    >>> [rank(one) for one in ("com.fitbit.FitbitMobile#1", "com.fitbit.FitbitMobile", "android")]
    [0, 1, 2]
    """
    name, _, kind = origin.rpartition("#") if "#" in origin else (origin, "", "")
    if name in MIRRORS:
        return 3
    if kind in map(str, WORN) or "watch" in name.casefold():
        return 0
    return 2 if kind == str(PHONE) or name in ON_PHONE or "phone" in name.casefold() else 1
