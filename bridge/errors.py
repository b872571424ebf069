"""Errors, each named by what has to happen next.

BridgeError
├── BadRecord       set this one record aside and go on
├── TryLater        stop this source now, come back when it is ``due``
│   └── Interrupted we stopped between two pages; nothing is wrong
├── CursorExpired   forget the cursor and start over, once
├── NeedsLogin      stop until the person has logged in again
├── Forged          refuse what was sent: it does not come from whom it says
├── Spent           refuse what was asked for: it could be done once, or until a time, and no longer can
├── SourceChanged   stop until a developer has looked at the new shape
│   └── CutShort    a file ends before its end; what came before was read
└── SetupError      a setting, key, user or source is missing: nothing was tried
"""

from __future__ import annotations

from datetime import datetime, timedelta


class BridgeError(Exception):
    """Base of every error whose text may be shown to a person as it is."""


class BadRecord(BridgeError):
    """One record cannot be read; it is set aside with this reason and nothing else is lost."""


class TryLater(BridgeError):
    """The source does not answer now (429, 5xx, network).

    ``retry_at`` or, counted from this very moment, ``after`` is the source's own time, if it gave one. ``limited``: it
    said that too much is asked; where all accounts share one limit, none of them asks before that time.
    """

    def __init__(
        self,
        message: str,
        *,
        retry_at: datetime | None = None,
        after: timedelta | None = None,
        limited: bool = False,
    ) -> None:
        super().__init__(message)
        if retry_at is not None and retry_at.tzinfo is None:
            raise ValueError("retry_at must be aware")
        self.retry_at = retry_at
        self.after = after
        self.limited = limited

    def due(self, now: datetime) -> datetime | None:
        """When to come back, where the source said so."""
        return self.retry_at or (now + self.after if self.after is not None else None)


class Interrupted(TryLater):
    """We stopped after a page that has landed, to go on from there: the bridge ends, or it was enough for one time."""


class CursorExpired(BridgeError):
    """The source no longer knows the cursor (410, rejected token)."""


class NeedsLogin(BridgeError):
    """The consent or key is gone (401 after refresh, invalid_grant)."""


class Forged(BridgeError):
    """A push that does not prove where it comes from, or is too old to be new."""


class Spent(BridgeError):
    """A link that was used, whose time is over, or whose key is gone."""


class SourceChanged(BridgeError):
    """The source answers in a shape this connector does not know."""


class CutShort(SourceChanged):
    """A file ends before its end, or turns into something else; what was complete has been read."""


class SetupError(BridgeError):
    """Something must be set up first; the text names the command."""
