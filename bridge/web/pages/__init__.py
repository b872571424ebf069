"""The pages, one file each; what is listed here is there."""

from __future__ import annotations

from bridge.web.pages import connections, door, links, today

ROUTERS = (today.router, connections.router, door.router, links.router)
NAVIGATION = (("/", "Today"), ("/connections", "Connections"))
