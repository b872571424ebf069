"""Signed links in notifications, each of which answers a recommendation until the recommendation expires.

A token names the recommendation, the answer and the signing key. The signature covers the recommendation's user and
times too. Without them, a restored database could give the number to another recommendation. Opening a link answers
nothing, because mail scanners and previews open links too. Its recommendation counts as seen. The page behind the
link has a button that answers. Only the first link used for a recommendation answers.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from itsdangerous import BadSignature, Signer

from bridge import calendar
from bridge.advice import calendar_writer, recommend
from bridge.domain.errors import Forged, Spent
from bridge.domain.guard import QUIET_ACTIONS
from bridge.domain.records import Recommendation, User
from bridge.domain.slots import Moment, slot_bounds
from bridge.installation import Bridge
from rhythm_env.interface import STEPS_PER_WEEK, Answer

KEY_PURPOSE = "links that answer a recommendation"
ANSWER_PATH = "/answer/"
LETTERS = {"a": Answer.ACCEPT, "i": Answer.IGNORE, "r": Answer.RESCHEDULE}
KEY_ID_BYTES = 6
# Number, letter, key id, signature. SHA-384 fills 64 letters exactly, so that each signature has a single spelling.
TOKEN = re.compile(r"(\d{1,18})\.([air])\.([0-9a-f]{12})\.[\w-]{64}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The effect of a valid link. ``moved_to`` is the next slot with room, for a link that reschedules."""

    user: User
    recommendation: Recommendation
    answer: Answer
    moved_to: Moment | None = None


def for_recommendation(bridge: Bridge, recommendation: Recommendation) -> dict[str, str]:
    """Return the addresses that answer a recommendation, by answer in lower case.

    There are none without ``BRIDGE_URL``, and none once the recommendation is answered.
    """
    url = bridge.settings.url
    if url is None or recommendation.answer is not None:
        return {}
    key = bridge.vault.derived(KEY_PURPOSE)[0]
    signer = _signer(key, recommendation)
    return {
        answer.lower(): f"{url.rstrip('/')}{ANSWER_PATH}"
        f"{signer.sign(f'{recommendation.id}.{letter}.{_key_id(key)}').decode()}"
        for letter, answer in LETTERS.items()
    }


def read(bridge: Bridge, token: str, *, now: datetime) -> Link:
    """Return the effect of a link without answering.

    Raises Forged for a token that was not made here. Raises Spent for a link that is used, expired or of a former key.
    """
    recommendation, answer = _verify(bridge, token)
    if recommendation.expires_at <= now:
        raise Spent("this link has expired, and so has the recommendation it answers")
    if recommendation.answer is not None:
        raise Spent(f"this recommendation has its answer already: {recommendation.answer.lower()}")
    user = next(user for user in bridge.store.people.users() if user.id == recommendation.user_id)
    moved = next_slot(bridge, user, recommendation, now=now) if answer is Answer.RESCHEDULE else None
    return Link(user=user, recommendation=recommendation, answer=answer, moved_to=moved)


def follow(bridge: Bridge, token: str, *, now: datetime) -> Link:
    """Give the answer of a link, at most once. Raises as ``read`` does."""
    link = read(bridge, token, now=now)
    if not bridge.store.recommendations.save_first_feedback(
        link.recommendation.id, link.answer, now=now, moved_to=link.moved_to
    ):
        raise Spent("this recommendation was answered a moment ago")
    return link


def next_slot(bridge: Bridge, user: User, recommendation: Recommendation, *, now: datetime) -> Moment | None:
    """Return the next slot within a week with room for the recommendation, None where each is full.

    Quiet slots are passed over, unless the action itself is quiet.
    """
    ahead = [recommendation.moment.shifted(steps) for steps in range(1, STEPS_PER_WEEK + 1)]
    until = slot_bounds(ahead[-1], user.zones)[1]
    entries = recommend.labelled(bridge.store, user, bridge.classifier, now, until, at=now)
    loud = recommendation.action not in QUIET_ACTIONS
    minutes = min(calendar_writer.MINUTES.get(recommendation.action, calendar_writer.HOUR), calendar_writer.HOUR)
    for moment in ahead:
        start, end = slot_bounds(moment, user.zones)
        quiet = loud and moment.slot in bridge.guard.quiet
        if end > now and not quiet and calendar.next_free(entries, max(start, now), minutes, end) is not None:
            return moment
    return None


def _verify(bridge: Bridge, token: str) -> tuple[Recommendation, Answer]:
    """Return the recommendation and the answer of a token with a valid signature. Raises Forged and Spent."""
    found = TOKEN.fullmatch(token)
    if found is None:
        raise Forged("this is no link of this bridge")
    number, letter, key_id = found.groups()
    key = next((key for key in bridge.vault.derived(KEY_PURPOSE) if _key_id(key) == key_id), None)
    if key is None:
        raise Spent("the bridge's key has been changed since this link was made; answer on the page instead")
    recommendation = bridge.store.recommendations.by_id(int(number))
    if recommendation is None:
        raise Forged("this is no link of this bridge")
    try:
        _signer(key, recommendation).unsign(token)
    except BadSignature:
        raise Forged("this is no link of this bridge") from None
    return recommendation, LETTERS[letter]


def _signer(key: bytes, recommendation: Recommendation) -> Signer:
    """Return the signer of a recommendation's links, whose salt ties them to its user and times."""
    times = (recommendation.created_at, recommendation.expires_at)
    salt = "/".join([str(recommendation.user_id), *(time.astimezone(UTC).isoformat() for time in times)])
    return Signer(key, salt=salt, key_derivation="hmac", digest_method=hashlib.sha384)


def _key_id(key: bytes) -> str:
    """Return a short id of a signing key, so that links of a former key can be told from forgeries."""
    return hashlib.blake2b(key, digest_size=KEY_ID_BYTES).hexdigest()
