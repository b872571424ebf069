"""Connect Home Assistant, whose phone apps send it readings of Apple Health and Health Connect.

Its REST API is used, with an access token that the user makes. Only the sensors of a single phone are read.
"""

from datetime import timedelta

from bridge.domain.languages import say
from bridge.domain.metrics import metrics_of
from bridge.domain.ports import ConnectorSpec, Setting

SPEC = ConnectorSpec(
    name="home_assistant",
    title=say("Home Assistant (health sensors of its phone apps)"),
    delivers=frozenset({"episodes"})
    | metrics_of("asleep in_bed hrv_sdnn hrv_rmssd_spot resting_hr steps distance active_energy total_energy"),
    streams=("sensor",),
    called={"sensor": "sensors"},
    overlap=timedelta(days=3),
    normaliser="connectors.home_assistant.normalise:normalise",
    settings=(
        Setting(
            name="url",
            help="the address of Home Assistant, asked for when empty",
            default="",
            personal=True,
            asked=say("Server address"),
        ),
        Setting(
            name="name",
            help="the phone, as its sensors are called: pixel_8 of sensor.pixel_8_daily_steps; needed with two phones",
            default="",
            personal=True,
            asked=say("Phone, if there are several, e.g. pixel_8"),
        ),
        Setting(
            name="password",
            help="the long-lived access token of Home Assistant, asked for when empty",
            default="",
            secret=True,
            personal=True,
            asked=say("Long-lived access token"),
        ),
        Setting(name="days", help="how many days of history the first sync reads", default="10", whole=True),
    ),
    opens="connectors.home_assistant.client:HomeAssistant",
    authorises="connectors.home_assistant.client:authorise",
    deletions_unknown={"sensor": "Home Assistant forgets its history after ten days, so what is gone was not deleted"},
)
