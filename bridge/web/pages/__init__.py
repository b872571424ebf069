"""The pages, one file each; what is listed here is there."""

from __future__ import annotations

from bridge.web.pages import today

ROUTERS = (today.router,)
NAVIGATION = (("/", "Today"),)
