"""Errors, each named by what has to happen next.

BridgeError
├── BadRecord       set the record aside and go on
├── TryLater        stop the source now and come back when it is ``due``
│   ├── StoreFault  mend the disk or the database, by its ``kind``
│   ├── Interrupted the bridge stopped between two pages; nothing is wrong
│   └── Odd         a SourceChanged or Refused that may pass: ask again, and pause the connection if it lasts
├── CursorExpired   forget the cursor and start over, once
├── NotPermitted    leave the stream out and go on; the user may grant it
├── NeedsLogin      stop until the user has logged in again
│   └── Refused     the same, when it lasts
├── Forged          refuse a push, webhook or login that does not prove its sender
├── Spent           refuse a link that was used or has expired
├── SourceChanged   stop, when it lasts, until a developer has looked at the new shape
│   └── CutShort    a file is incomplete; its complete part was read
└── SetupError      a setting, key, user or source is missing, or an input is wrong: nothing was done
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar

SAME_PAGE = "the source names the same next page again and again; look for a newer release of the bridge"


class BridgeError(Exception):
    """Base of every error whose text may be shown to a user as it is.

    ``then`` is the next step that is printed beside the text. It is empty where the text itself names the next step.
    """

    then: ClassVar[str] = ""


class BadRecord(BridgeError):
    """A record cannot be read. It is set aside with this error's text as the reason. Other records are not affected."""

    then = "nothing has to be done: this record alone is left out, and read again after each update of the bridge"


class TryLater(BridgeError):
    """The source does not answer now (429, 5xx, network).

    ``retry_at``, or ``after`` counted from now, is the time that the source named. Both are None if it named none.
    ``limited`` is True if the rate limit is exceeded. Where all accounts share a rate limit, none of them asks before
    that time. Raises ValueError for a ``retry_at`` without a time zone.
    """

    then = "the next sync tries again"

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
        """Return when to try again, where ``after`` counts from ``now``. Returns None if the source named no time."""
        return self.retry_at or (now + self.after if self.after is not None else None)


class Fault(StrEnum):
    FULL = "full"
    READ_ONLY = "read-only"
    LOCKED = "locked"
    DAMAGED = "damaged"
    FAILING = "failing"


class StoreFault(TryLater):
    """The disk or the database cannot be used, for the reason ``kind``. Nothing of what was asked for was stored."""

    def __init__(self, message: str, *, kind: Fault) -> None:
        super().__init__(message)
        self.kind = kind


class Interrupted(TryLater):
    """The sync stopped after a page was stored, because the bridge shuts down or the sync's time is over."""

    then = "the next sync goes on"


class Odd(TryLater):
    """The source gave an unexpected answer (``SourceChanged`` or ``Refused``), but its next answer may be fine.

    The source is asked again later. Only odd answers that go on for hours pause the connection.
    """


class CursorExpired(BridgeError):
    """The source no longer knows a stream's cursor (410, rejected sync token).

    The stream is pulled once more from its beginning.
    """


class NotPermitted(BridgeError):
    """A stream may not be read, for example for a missing scope or a paid feature.

    ``whole`` is the error to raise if the source refuses every stream, and gives this error its text. ``named`` is True
    if the source named the missing scope. Then the stream stays unreadable until the user consents again.
    """

    def __init__(self, whole: BridgeError, *, named: bool = False) -> None:
        super().__init__(str(whole))
        self.whole = whole
        self.named = named


class NeedsLogin(BridgeError):
    """The consent or key is missing, refused or gone, as after invalid_grant. The user must connect again."""

    then = "log in again: bridge connect SOURCE --user NAME"


class Refused(NeedsLogin):
    """The source, or a proxy before it, refused a request that the user's consent should allow (HTTP 403)."""


class Forged(BridgeError):
    """A push, a webhook or the answer to a login does not prove its sender, or is too old.

    An old message may be a copy that was sent again.
    """


class Spent(BridgeError):
    """A link was used already, has expired, or was signed with a key that is gone."""


class SourceChanged(BridgeError):
    """The source answers in a shape that this connector does not know, or with 404."""


class CutShort(SourceChanged):
    """A file is incomplete, or its format changes midway. The part before that was read."""


class SetupError(BridgeError):
    """A setting, key, user or source is missing, or an input is wrong, so that nothing was done.

    The text says what to do next.
    """
