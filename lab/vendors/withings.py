"""A server that plays Withings. ``account`` holds a list of rows per stream, in Withings' own format."""

from collections.abc import Mapping
from typing import Any

import requests

from bridge.recordings.server import Answer, Request
from connectors.withings import SPEC
from lab.vendors import OAuthServer, rows_between

PAGE = 25  # rows
MEMBER = 363  # the person's number
LISTS = {  # path and action -> stream and the list's name in the answer
    ("/v2/sleep", "getsummary"): ("sleep", "series"),
    ("/v2/measure", "getactivity"): ("activity", "activities"),
}


class Vendor(OAuthServer):
    consent_path = "/oauth2_user/authorize2"
    token_path = "/v2/oauth2"
    default_scope = "user.activity"
    scope_separator = ","
    envelope = SPEC.oauth.envelope if SPEC.oauth else None
    pages = "number"
    paths: Mapping[str, str | None] = {}

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.notifications = Notifications(MEMBER)

    def settings(self, url: str) -> dict[str, str]:
        return super().settings(url) | {"consent_url": url, "port": "0", "days": "60"}

    def issue(self, scope: str, *, refresh: bool = True) -> dict[str, Any]:
        """Return a new pair of tokens with the user's number, as the body of the token server's answer."""
        return {"userid": MEMBER} | super().issue(scope, refresh=refresh)

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:
        """Answer with a page of a list between two dates, or a request about subscriptions."""
        form = request.form
        if (request.method, request.path) == ("POST", "/notify"):
            return self.notifications.answer(form)
        found = LISTS.get((request.path, form.get("action", "")))
        if request.method != "POST" or found is None or not {"startdateymd", "enddateymd"} <= set(form):
            return Answer(status=400)
        if "user.activity" not in scopes:
            return self.unauthorised()
        stream, name = found
        rows = rows_between(self.account.get(stream, []), "date", form["startdateymd"], form["enddateymd"])
        begin = int(form.get("offset", 0))
        end = begin + PAGE
        more = end < len(rows)
        return Answer(body={name: rows[begin:end], "more": more, "offset": end if more else 0})

    def _token(self, request: Request) -> Answer:
        """Answer a token request whose form has the action "requesttoken", else with status 400."""
        return super()._token(request) if request.form.get("action") == "requesttoken" else Answer(status=400)


WAIT_SECONDS = 2  # as long as Withings waits for an answer
CALLBACK_MAX_CHARS = 255
CATEGORIES = frozenset({"1", "2", "4", "16", "44", "46", "50", "51", "52", "54", "55", "58", "62"})


class Notifications:
    """The subscriptions of the user number ``member``. ``open`` maps (address, category) to a comment."""

    def __init__(self, member: int) -> None:
        self.member = member
        self.open: dict[tuple[str, str], str] = {}

    def answer(self, form: Mapping[str, str]) -> Answer:
        """Answer a request to list, begin or end subscriptions."""
        callback, category = form.get("callbackurl", ""), form.get("appli", "1")
        if form.get("action") == "list":
            listed = [
                {"appli": int(kind), "callbackurl": address, "expires": 2147483647, "comment": comment}
                for (address, kind), comment in self.open.items()
            ]
            return Answer(body={"profiles": listed})
        if form.get("action") == "subscribe" and self._is_good(callback, category):
            self.open[callback, category] = form.get("comment", "")
            return Answer(body={})
        if form.get("action") == "revoke" and self.open.pop((callback, category), None) is not None:
            return Answer(body={})
        return Answer(status=400)

    def _is_good(self, callback: str, category: str) -> bool:
        if category not in CATEGORIES or len(callback) > CALLBACK_MAX_CHARS:
            return False
        try:
            return requests.head(callback, timeout=WAIT_SECONDS).status_code == 200
        except requests.RequestException:
            return False

    def send(self, category: str, **fields: object) -> list[int]:
        """Send a message to each address that subscribed to a category, and return the HTTP statuses of the answers."""
        said = {"userid": str(self.member), "appli": category} | {name: str(value) for name, value in fields.items()}
        addresses = [address for address, kind in list(self.open) if kind == category]
        return [requests.post(address, data=said, timeout=WAIT_SECONDS).status_code for address in addresses]
