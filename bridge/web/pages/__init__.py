"""The pages, one file each; what is listed here is there."""

from __future__ import annotations

from bridge.web.pages import connections, door, today

ROUTERS = (today.router, connections.router, door.router)
NAVIGATION = (("/", "Today"), ("/connections", "Connections"))
