"""Links that answer a recommendation from a notification: signed, for one answer, until the recommendation expires.

A link names whose recommendation it answers, how, and until when, and an HMAC-SHA256 over that and the advice itself,
under a key derived from the vault's. Looking at a link changes nothing: mail scanners and previews do that. The button
behind it answers, and of all links to one recommendation only the first that is used does.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bridge import advise, agenda, plans
from bridge.app import Bridge
from bridge.errors import Forged, Spent
from bridge.guard import QUIET
from bridge.ports import Recommendation, User
from rhythm_env.interface import STEPS_PER_WEEK, Answer, Moment, slot_bounds

PURPOSE = "links that answer a recommendation"
PATH = "/answer/"
LETTERS = {"a": Answer.ACCEPT, "i": Answer.IGNORE, "r": Answer.RESCHEDULE}
LONGEST = 200  # characters of a token; ours have about 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What a link that holds would do. ``moved_to``: the next slot with room, of one that puts the advice off."""

    user: User
    advice: Recommendation
    answer: Answer
    moved_to: Moment | None = None


def for_recommendation(bridge: Bridge, recommendation: Recommendation) -> dict[str, str]:
    """The addresses that answer a recommendation, by answer in lower case; none unless ``BRIDGE_URL`` is set."""
    url = bridge.settings.url
    if url is None or recommendation.answer is not None:
        return {}
    signing = _keys(bridge)[0]
    return {
        answer.lower(): f"{url.rstrip('/')}{PATH}{_token(signing, letter, recommendation)}"
        for letter, answer in LETTERS.items()
    }


def look(bridge: Bridge, token: str, *, now: datetime) -> Link:
    """What a link would do, without doing it. Raises Forged for one that is not ours, Spent for one that is over."""
    advice, answer = _opened(bridge, token)
    if advice.expires_at <= now:
        raise Spent("this link has expired, and so has the advice it answers")
    if advice.answer is not None:
        raise Spent(f"this advice has its answer already: {advice.answer.lower()}")
    user = next(user for user in bridge.store.users() if user.id == advice.user_id)
    moved = next_slot(bridge, user, advice, now=now) if answer is Answer.RESCHEDULE else None
    return Link(user=user, advice=advice, answer=answer, moved_to=moved)


def follow(bridge: Bridge, token: str, *, now: datetime) -> Link:
    """Give the answer a link stands for, at most once. Raises as ``look`` does."""
    link = look(bridge, token, now=now)
    if not bridge.store.answer_once(link.advice.id, link.answer, now=now, moved_to=link.moved_to):
        raise Spent("this advice has been answered meanwhile")
    return link


def next_slot(bridge: Bridge, user: User, advice: Recommendation, *, now: datetime) -> Moment | None:
    """The next slot of the coming week with room for the advice that is not a quiet one; None where there is none."""
    ahead = [advice.moment.shifted(steps) for steps in range(1, STEPS_PER_WEEK + 1)]
    until = slot_bounds(ahead[-1], user.zones)[1]
    known = advise.labelled(bridge.store, user, bridge.classifier, now, until, at=now)
    loud = advice.action not in QUIET
    minutes = min(plans.MINUTES.get(advice.action, plans.HOUR), plans.HOUR)
    for moment in ahead:
        start, end = slot_bounds(moment, user.zones)
        quiet = loud and moment.slot in bridge.guard.quiet
        if end > now and not quiet and agenda.next_free(known, max(start, now), minutes, end) is not None:
            return moment
    return None


def _opened(bridge: Bridge, token: str) -> tuple[Recommendation, Answer]:
    """The recommendation and the answer of a link with a good signature.

    A key that is gone is told from a forgery by its mark: after a rotation the notifications sent before it end.
    """
    parts = token.split(".") if len(token) <= LONGEST and token.isascii() else []
    if len(parts) != 5 or parts[1] not in LETTERS or not (parts[0].isdecimal() and len(parts[0]) < 19):
        raise Forged("this is no link of this bridge")
    number, letter, _, mark, _ = parts
    key = next((key for key in _keys(bridge) if hmac.compare_digest(_mark(key), mark)), None)
    if key is None:
        raise Spent("the bridge's key has been changed since this link was made; answer on the page instead")
    advice = bridge.store.recommendation(int(number))
    if advice is None or not hmac.compare_digest(_token(key, letter, advice), token):
        raise Forged("this is no link of this bridge")
    return advice, LETTERS[letter]


def _keys(bridge: Bridge) -> Sequence[bytes]:
    """The first one signs; while keys are rotated, each of them is good."""
    return bridge.vault.derived(PURPOSE)


def _token(key: bytes, letter: str, advice: Recommendation) -> str:
    """Signed is also when the advice was given: its number may be another's after a restore."""
    until = int(advice.expires_at.timestamp())
    shown = f"{advice.id}.{letter}.{until}.{_mark(key)}"
    signed = f"{shown}/{advice.user_id}/{advice.created_at.astimezone(UTC).isoformat()}"
    return f"{shown}.{_text(hmac.digest(key, signed.encode(), 'sha256'))}"


def _mark(key: bytes) -> str:
    """What tells a key from another, and nothing about it."""
    return _text(hmac.digest(key, b"mark", "sha256")[:6])


def _text(code: bytes) -> str:
    return urlsafe_b64encode(code).rstrip(b"=").decode()
