"""What every route of one running server shares, and who is visiting."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from bridge import app
from bridge.ports import User

if TYPE_CHECKING:
    from bridge.app import Bridge


@dataclass(frozen=True, kw_only=True)
class Site:
    """``local``: only this very machine reaches it, and whoever has no password needs none."""

    bridge: Bridge
    local: bool = True
    hosts: frozenset[str] = field(default_factory=frozenset)


class Stranger(Exception):
    """Nobody is known to be there: a page leads to the login, the JSON door answers 401."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A person looking at their own data. ``csrf`` is what their pages send back with every change."""

    site: Site
    user: User
    now: datetime
    csrf: str

    @property
    def bridge(self) -> Bridge:
        return self.site.bridge


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def visit(request: Request) -> Visit:
    """The one place that says whose data a request may touch. Raises Stranger."""
    site = site_of(request)
    people = site.bridge.store.users()
    if site.local and len(people) == 1:
        return Visit(site=site, user=people[0], now=app.now(), csrf="")
    raise Stranger


Visitor = Annotated[Visit, Depends(visit)]
