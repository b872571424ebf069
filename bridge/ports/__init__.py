"""The seams: what a source, a classifier and a store have to offer. ``Policy`` lives in ``rhythm_env.interface``."""

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

__all__ = [
    "Account",
    "Browser",
    "Connection",
    "Connector",
    "ConnectorSpec",
    "Correction",
    "Earlier",
    "EventClassifier",
    "File",
    "FileReader",
    "Invitation",
    "Known",
    "Landing",
    "Normaliser",
    "Origin",
    "Personal",
    "Prior",
    "Proxy",
    "ProxyMap",
    "Recommendation",
    "Setting",
    "Stated",
    "Store",
    "Told",
    "User",
    "Writer",
]
