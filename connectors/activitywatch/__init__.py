"""Connect ActivityWatch, which records work at the computer, by its server's REST API or an exported file.

Titles and addresses of windows are never kept. The app's name is turned into its category while it is read.
"""

from datetime import timedelta

from bridge.domain.languages import say
from bridge.domain.metrics import Metric
from bridge.domain.ports import ConnectorSpec, Setting

WORK_APPS = Setting(
    name="work_apps",
    help="further apps in which you work, with commas between, such as: Ableton Live, Anki",
    default="",
    personal=True,
)

SPEC = ConnectorSpec(
    name="activitywatch",
    title=say("ActivityWatch (focus at the computer)"),
    delivers=frozenset({Metric.FOCUS}),
    streams=("day",),
    overlap=timedelta(days=3),
    normaliser="connectors.activitywatch.stretches:normalise",
    settings=(
        Setting(
            name="url",
            help="the address of aw-server, asked for when empty",
            default="",
            personal=True,
            asked=say("Server address"),
        ),
        WORK_APPS,
        Setting(name="days", help="how many days the first sync reads", default="60", whole=True),
    ),
    opens="connectors.activitywatch.client:ActivityWatch",
    authorises="connectors.activitywatch.client:authorise",
    recognises="connectors.activitywatch.files:recognise",
    reads="connectors.activitywatch.files:read",
    file_settings=(WORK_APPS,),
)
