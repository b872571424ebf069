"""The seams: what a source, a classifier and a store have to offer. ``Policy`` lives in ``rhythm_env.interface``."""

from bridge.ports.keeping import Keeping, Tidied
from bridge.ports.personal import Personal, Prior
from bridge.ports.plugins import (
    Account,
    Browser,
    Connector,
    ConnectorSpec,
    EventClassifier,
    File,
    FileReader,
    Invitation,
    Normaliser,
    Setting,
    Told,
    Writer,
)
from bridge.ports.post import Channel, Notification, Post
from bridge.ports.proxies import Proxy, ProxyMap
from bridge.ports.records import (
    Connection,
    Correction,
    Earlier,
    Known,
    Landing,
    Origin,
    Recommendation,
    Stated,
    User,
)
from bridge.ports.store import Store
from bridge.ports.work import Presence, Work

__all__ = [
    "Account",
    "Browser",
    "Channel",
    "Connection",
    "Connector",
    "ConnectorSpec",
    "Correction",
    "Earlier",
    "EventClassifier",
    "File",
    "FileReader",
    "Invitation",
    "Keeping",
    "Known",
    "Landing",
    "Normaliser",
    "Notification",
    "Origin",
    "Personal",
    "Post",
    "Presence",
    "Prior",
    "Proxy",
    "ProxyMap",
    "Recommendation",
    "Setting",
    "Stated",
    "Store",
    "Tidied",
    "Told",
    "User",
    "Work",
    "Writer",
]
