"""The pages, a file each. Only the routers listed here are served."""

from __future__ import annotations

from bridge.web.pages import belief, connections, links, login, today, trends

ROUTERS = (today.router, connections.router, login.router, links.router, trends.router, belief.router)
