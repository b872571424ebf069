"""The pages, one file each; what is listed here is there."""

from __future__ import annotations

from bridge.web.pages import belief, connections, door, links, today, trends

ROUTERS = (today.router, connections.router, door.router, links.router, trends.router, belief.router)
NAVIGATION = (("/", "Today"), ("/trends", "Trends"), ("/belief", "About me"), ("/connections", "Connections"))
