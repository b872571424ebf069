"""Withings's notifications as its server plays them: subscribed by address and category, tried by HEAD, unsigned."""

from __future__ import annotations

from collections.abc import Mapping

import requests

from bridge.recordings.server import Answer

WAIT_SECONDS = 2  # as long as Withings waits for an answer
CALLBACK_MAX_CHARS = 255
CATEGORIES = frozenset({"1", "2", "4", "16", "44", "46", "50", "51", "52", "54", "55", "58", "62"})


class Notifications:
    """The subscriptions of the person ``member``: (address, category) -> the comment."""

    def __init__(self, member: int) -> None:
        self.member = member
        self.open: dict[tuple[str, str], str] = {}

    def answer(self, form: Mapping[str, str]) -> Answer:
        """Answer a request to list, begin or end subscriptions."""
        callback, category = form.get("callbackurl", ""), form.get("appli", "1")
        if form.get("action") == "list":
            listed = [
                {"appli": int(kind), "callbackurl": address, "expires": 2147483647, "comment": comment}
                for (address, kind), comment in self.open.items()
            ]
            return Answer(body={"profiles": listed})
        if form.get("action") == "subscribe" and self._is_good(callback, category):
            self.open[callback, category] = form.get("comment", "")
            return Answer(body={})
        if form.get("action") == "revoke" and self.open.pop((callback, category), None) is not None:
            return Answer(body={})
        return Answer(status=400)

    def _is_good(self, callback: str, category: str) -> bool:
        """Say if an address may be subscribed. It has to answer HEAD with 200."""
        if category not in CATEGORIES or len(callback) > CALLBACK_MAX_CHARS:
            return False
        try:
            return requests.head(callback, timeout=WAIT_SECONDS).status_code == 200
        except requests.RequestException:
            return False

    def send(self, category: str, **fields: object) -> list[int]:
        """Send a notification to each address of a category, as a form. Return the statuses of the answers."""
        said = {"userid": str(self.member), "appli": category} | {name: str(value) for name, value in fields.items()}
        addresses = [address for address, kind in list(self.open) if kind == category]
        return [requests.post(address, data=said, timeout=WAIT_SECONDS).status_code for address in addresses]
