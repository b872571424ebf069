"""Who wrote a row: the watch, the phone, another app, or the app of a maker whose data come by their own way as well.

HealthKit merges by an order of sources that the export does not contain; here it is a setting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Source = tuple[int, str]  # rank (the lower, the more it is believed), name
ORDER = ("watch", "phone", "others", "makers")
WATCH = re.compile(r"(model|hardware|producttype): ?watch")
PHONE = re.compile(r"(model|hardware|producttype): ?iphone|model:phone")
MAKERS = re.compile(
    r"\b(whoop|garmin|connect|oura|fitbit|polar flow|withings|health ?mate|coros|suunto|amazfit|zepp)\b"
)


def order_of(text: str) -> tuple[str, ...]:
    """An order as it is written in a setting: words of ``ORDER`` or parts of a source's name, best first."""
    wanted = [word.strip().casefold() for word in text.split(",") if word.strip()]
    return (*wanted, *(word for word in ORDER if word not in wanted))


def rank(source: str, device: str, order: Sequence[str] = ORDER) -> int:
    """The source's place in the order. A device's model is surer than a name."""
    name = source.casefold()
    mine = next((place for place, word in enumerate(order) if word not in ORDER and word in name), None)
    return order.index(_class(name, device.casefold())) if mine is None else mine


def _class(name: str, device: str) -> str:
    if WATCH.search(device) or "apple watch" in name:
        return "watch"
    if PHONE.search(device) or "iphone" in name:
        return "phone"
    return "makers" if MAKERS.search(name) else "others"
