"""The pages, one file each; what is listed here is there."""

from __future__ import annotations

from bridge.web.pages import links, today

ROUTERS = (today.router, links.router)
NAVIGATION = (("/", "Today"),)
