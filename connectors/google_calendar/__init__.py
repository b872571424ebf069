"""Google Calendar, read only: series and their exceptions as Google keeps them, followed with sync tokens."""

from bridge.ports import ConnectorSpec, Setting

SPEC = ConnectorSpec(
    name="google_calendar",
    title="Google Calendar (API v3)",
    delivers=frozenset({"events"}),
    streams=("calendar", "event"),
    normaliser="connectors.google_calendar.normalise:normalise",
    settings=(
        Setting(name="base_url", help="the API's address", default="https://www.googleapis.com"),
        Setting(name="auth_uri", help="Google's consent page", default="https://accounts.google.com/o/oauth2/auth"),
        Setting(name="token_uri", help="Google's token server", default="https://oauth2.googleapis.com/token"),
        Setting(name="revoke_uri", help="Google's revocation", default="https://oauth2.googleapis.com/revoke"),
        Setting(name="client_id", help="the client id of your OAuth client (type Desktop app)"),
        Setting(name="client_secret", help="the client secret of your OAuth client", secret=True),
    ),
    opens="connectors.google_calendar.client:GoogleCalendar",
    authorises="connectors.google_calendar.consent:authorise",
    revokes="connectors.google_calendar.consent:revoke",
)
