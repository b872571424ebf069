"""Google's push channels, which are opened, told of changes, stopped, and end in time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bridge.recordings.server import Answer, Request
from lab.vendors.google import refusal

LONGEST = timedelta(days=7)
MILLISECOND = timedelta(milliseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class Channel:
    """An open channel. ``sent`` counts its messages, the first of which says that it is open."""

    name: str
    calendar: str
    address: str
    token: str
    until: datetime
    sent: int = 0

    @property
    def resource(self) -> str:
        return f"resource-of-{self.calendar}"


class Channels:
    """All push channels of an account. With ``muted`` no message is sent, as sometimes happens with Google."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.open: dict[str, Channel] = {}
        self.muted = False
        self._clock = clock

    def watch(self, calendar: str, request: Request) -> Answer:
        """Open a channel to an https or loopback address and send its first message. Other addresses get status 400."""
        body: dict[str, Any] = json.loads(request.body)
        address = str(body.get("address", ""))
        if not address.startswith(("https://", "http://127.0.0.1")):
            return refusal(400, "webhookCallbackNotHttps")
        if body.get("type") != "web_hook" or not body.get("id") or len(body["id"]) > 64:
            return refusal(400, "required")
        if body["id"] in self.open:
            return refusal(400, "channelIdNotUnique")
        longest = self._clock() + LONGEST
        asked = EPOCH + int(body["expiration"]) * MILLISECOND if "expiration" in body else longest
        channel = Channel(
            name=body["id"],
            calendar=calendar,
            address=address,
            token=str(body.get("token", "")),
            until=min(asked, longest),
        )
        self.open[channel.name] = channel
        self._send(channel, "sync")
        ends = str((channel.until - EPOCH) // MILLISECOND)
        return Answer(
            body={"kind": "api#channel", "id": channel.name, "resourceId": channel.resource, "expiration": ends}
        )

    def stop(self, request: Request) -> Answer:
        body = json.loads(request.body)
        channel = self.open.get(body.get("id"))
        if channel is None or channel.resource != body.get("resourceId"):
            return refusal(404, "notFound")
        del self.open[channel.name]
        return Answer(status=204)

    def changed(self, calendar: str) -> None:
        """Send a message to every channel of a calendar that has not ended."""
        for channel in list(self.open.values()):
            if channel.calendar == calendar and channel.until > self._clock():
                self._send(channel, "exists")

    def _send(self, channel: Channel, state: str) -> None:
        import requests

        channel.sent += 1
        if self.muted or channel.address.startswith("https://"):
            return
        headers = {
            "X-Goog-Channel-ID": channel.name,
            "X-Goog-Channel-Token": channel.token,
            "X-Goog-Channel-Expiration": channel.until.strftime("%a, %d %b %Y %H:%M:%S GMT"),
            "X-Goog-Resource-ID": channel.resource,
            "X-Goog-Resource-State": state,
            "X-Goog-Resource-URI": "https://www.googleapis.com/calendar/v3/calendars/-/events",
            "X-Goog-Message-Number": str(channel.sent),
        }
        try:
            requests.post(channel.address, headers=headers, data=b"", timeout=5)
        except requests.RequestException:
            return
