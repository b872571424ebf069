"""Serve the JSON interface ``/api/v1``, with the documents that the command line prints for ``--json``."""

from __future__ import annotations

from bridge.web.api import data, day, household, past, planning

ROUTERS = (day.router, data.router, past.router, planning.router, household.router)
