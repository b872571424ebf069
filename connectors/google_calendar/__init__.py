"""Google Calendar: series and their exceptions as Google keeps them, followed with sync tokens.

Read only, but for a calendar of its own where the person wants accepted advice written there.
"""

from bridge.google import SETTINGS
from bridge.ports import ConnectorSpec, Setting

SPEC = ConnectorSpec(
    name="google_calendar",
    title="Google Calendar (API v3)",
    delivers=frozenset({"events"}),
    streams=("calendar", "event"),
    normaliser="connectors.google_calendar.normalise:normalise",
    normaliser_version=2,
    cursor_version=3,
    settings=(
        Setting(name="base_url", help="the API's address", default="https://www.googleapis.com"),
        *SETTINGS,
    ),
    opens="connectors.google_calendar.client:GoogleCalendar",
    authorises="connectors.google_calendar.consent:authorise",
    revokes="connectors.google_calendar.consent:revoke",
    notices="connectors.google_calendar.channels:notice",
    watches="connectors.google_calendar.channels:watch",
    writes="connectors.google_calendar.write:write",
)
