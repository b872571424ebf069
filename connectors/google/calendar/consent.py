"""Obtain consent at Google to read calendars and, if wanted, to write into a calendar that the bridge makes."""

from __future__ import annotations

from functools import partial

from connectors.google import auth
from connectors.google.answers import Service

CALENDAR = Service(
    source="google_calendar",
    api="Google Calendar API",
    scope="https://www.googleapis.com/auth/calendar.readonly",
    reads="calendars",
    writes="https://www.googleapis.com/auth/calendar.app.created",  # calendars this app made, no others
)
authorise = partial(auth.authorise, service=CALENDAR)
