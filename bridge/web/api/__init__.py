"""The JSON door, ``/api/v1``: what the page shows, as the command line's ``--json`` prints it."""

from __future__ import annotations

from bridge.web.api import data, day, past

ROUTERS = (day.router, data.router, past.router)
