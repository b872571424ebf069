"""The server of a made-up ring, with ``nights`` by when they ended and ``pulses`` by when they were changed.

The list of nights tells the last thirty days alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from bridge.auth.oauth import oauth_of
from bridge.domain.ports import Revocation
from bridge.recordings.server import Answer, Request
from connectors.tide import SPEC
from lab.vendors import OAuthServer


class Vendor(OAuthServer):
    """A server of ``account``. A refresh token is good for a single use."""

    consent_path, token_path = "/authorize", "/token"
    paths: Mapping[str, str | None] = {"night": "/sleep", "pulse": "/measure"}
    pages = None
    scope_separator = ","
    revocation = Revocation(address="/revoke", form="token")
    envelope = oauth_of(SPEC).envelope

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:  # noqa: ARG002 - there is one scope
        rows = self._nights(request.query) if request.path == "/sleep" else self._pulses(request.query)
        return Answer(body={"series": rows})

    def _nights(self, query: Mapping[str, str]) -> list[dict[str, Any]]:
        oldest = max(int(query.get("startdate", "0")), int((self.now - timedelta(days=30)).timestamp()))
        return [row for row in self.account["nights"] if row["enddate"] >= oldest]

    def _pulses(self, query: Mapping[str, str]) -> list[dict[str, Any]]:
        return [row for row in self.account["pulses"] if row["modified"] >= int(query.get("lastupdate", "0"))]
