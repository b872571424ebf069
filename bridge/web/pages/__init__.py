"""Serve the pages, each from a module of its own. Only the routers listed here are served."""

from __future__ import annotations

from bridge.web.pages import (
    access,
    begin,
    belief,
    connections,
    history,
    household,
    keys,
    links,
    login,
    passkeys,
    plan,
    provider,
    review,
    settings,
    shell,
    tasks,
    today,
    trends,
    week,
    wishes,
)

ROUTERS = (
    today.router,
    plan.router,
    tasks.router,
    week.router,
    history.router,
    wishes.router,
    settings.router,
    access.router,
    household.router,
    shell.router,
    begin.router,
    keys.router,
    connections.router,
    login.router,
    provider.router,
    passkeys.router,
    links.router,
    trends.router,
    review.router,
    belief.router,
)
