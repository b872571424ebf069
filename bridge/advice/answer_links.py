"""Signed links in notifications. Each link gives one answer to a recommendation, until the recommendation expires.

Opening a link answers nothing, because mail scanners open links too. The page that opens has buttons.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from itsdangerous import BadSignature, Signer

from bridge.advice import rescheduling, wishing
from bridge.advice.feedback import may_move
from bridge.advice.wishing import Because
from bridge.day.choice import Option
from bridge.day.outcomes import day_end
from bridge.domain.errors import Forged, SetupError, Spent
from bridge.domain.languages import say, shown
from bridge.domain.records import Recommendation, User
from bridge.domain.slots import Moment, moment_at
from bridge.domain.titles import ANSWER_BUTTONS, answer_text
from bridge.installation import Bridge
from rhythm_env.interface import Answer

KEY_PURPOSE = "links that answer a recommendation"
ANSWER_PATH = "/answer/"
LETTERS = {"a": Answer.ACCEPT, "i": Answer.IGNORE, "r": Answer.RESCHEDULE}
KEY_ID_BYTES = 6
# Number, letter, key id, signature. SHA-384 fills 64 letters exactly, so that each signature has a single spelling.
TOKEN_FORM = re.compile(r"(\d{1,18})\.([air])\.([0-9a-f]{12})\.[\w-]{64}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The user, the recommendation and the answer that a valid link stands for.

    ``offers`` are up to three good other times if the answer is Reschedule, and empty otherwise.
    """

    user: User
    recommendation: Recommendation
    answer: Answer
    offers: tuple[Option, ...] = ()


def for_recommendation(bridge: Bridge, recommendation: Recommendation) -> dict[str, str]:
    """Return the word on a button -> the address of its link.

    The mapping is empty if ``BRIDGE_URL`` is not set or the recommendation is answered.
    """
    url = bridge.settings.url
    if url is None:
        return {}
    return {word: f"{url.rstrip('/')}{path}" for word, path in paths(bridge, recommendation).items()}


def word(answer: Answer) -> str:
    """Return the word of the button that gives an answer, such as Accept, in the current language."""
    return shown(ANSWER_BUTTONS[answer])


def paths(bridge: Bridge, recommendation: Recommendation) -> dict[str, str]:
    """Return the word on a button -> the path of its link, or an empty mapping if the recommendation is answered."""
    if recommendation.answer is not None:
        return {}
    key = bridge.vault.derived(KEY_PURPOSE)[0]
    signer = _signer(key, recommendation)
    return {
        word(answer): f"{ANSWER_PATH}{signer.sign(f'{recommendation.id}.{letter}.{_key_id(key)}').decode()}"
        for letter, answer in LETTERS.items()
        if answer is not Answer.RESCHEDULE or may_move(recommendation)
    }


def read(bridge: Bridge, token: str, *, now: datetime) -> Link:
    """Return what a link's token stands for. Raises Forged for an invalid token, and Spent for an expired one."""
    found, answer = _verify(bridge, token)
    user = bridge.travelled(bridge.store.people.user_by_id(found.user_id), at=now)
    refuse_late(found, user, now=now)
    offers = rescheduling.gaps(bridge, user, found, now=now) if answer is Answer.RESCHEDULE else []
    return Link(user=user, recommendation=found, answer=answer, offers=tuple(offers))


def refuse_late(recommendation: Recommendation, user: User, *, now: datetime) -> None:
    if recommendation.answer is not None and day_end(recommendation, user.zones) <= now:
        stands = answer_text(recommendation.answer, recommendation.moved_to)
        raise Spent(
            say(
                "the day of this recommendation is over, and its answer stands: {answer}; open the page for the next",
                answer=stands,
            )
        )
    if recommendation.answer is None and recommendation.expires_at <= now:
        raise Spent(say("this link has expired, and so has its recommendation; open the page for the next"))


def follow(bridge: Bridge, token: str, *, now: datetime, moved_to: Moment | None = None) -> Link:
    """Store the answer that a link stands for. If the answer is Reschedule, ``moved_to`` is the chosen slot.

    Raises Forged for an invalid token, and Spent for an expired one.
    """
    link = read(bridge, token, now=now)
    moved = moved_to if link.answer is Answer.RESCHEDULE else None
    found = rescheduling.answer(bridge, link.user, link.recommendation.id, link.answer, now=now, moved_to=moved)
    return replace(link, recommendation=found)


def because(bridge: Bridge, token: str, why: Because, *, confirmed: str, now: datetime) -> tuple[Link, str, bool]:
    """Store that a link's recommendation is refused, and return (link with other times, sentence, True if stored).

    A reason that holds on later days is stored only if ``confirmed`` is "yes", or for today alone if it is "today".
    Raises Forged for an invalid token, and Spent for an expired one.
    """
    link = _refusing(bridge, token, now)
    found, user = link.recommendation, link.user
    rule = wishing.lasting(found, user, why)
    if rule is not None and confirmed not in ("yes", "today"):
        late = why is Because.WRONG_TIME
        free = rescheduling.gaps_today(bridge, user, found, now=now) if late else []
        return replace(link, offers=tuple(free)), rule.told, False
    only_today = confirmed == "today"
    return link, wishing.refuse(bridge.store, user, found.id, why, now=now, only_today=only_today), True


def put_off(bridge: Bridge, token: str, slot: str, *, now: datetime) -> Link:
    """Move a refused recommendation to a time of today that ``because`` offered, named as ``week/timestep``.

    Raises Forged for an invalid token, Spent for an expired one, and SetupError for a slot that was not offered.
    """
    link = _refusing(bridge, token, now)
    free = rescheduling.gaps_today(bridge, link.user, link.recommendation, now=now)
    for moment in (moment_at(gap.start, link.user.zones) for gap in free):
        if f"{moment.week}/{moment.timestep}" == slot:
            number, given = link.recommendation.id, Answer.RESCHEDULE
            found = rescheduling.answer(bridge, link.user, number, given, now=now, moved_to=moment)
            return replace(link, recommendation=found)
    raise SetupError(
        say("the chosen slot is over or not possible; choose one of the slots of the coming seven days on this page")
    )


def _refusing(bridge: Bridge, token: str, now: datetime) -> Link:
    link = read(bridge, token, now=now)
    if link.answer is not Answer.IGNORE:
        raise Forged(
            say("this link is cut off, or another bridge made it; open the page of this bridge and answer there")
        )
    return link


def _verify(bridge: Bridge, token: str) -> tuple[Recommendation, Answer]:
    """Raise Forged for an invalid token, and Spent if it was signed with a former key."""
    found = TOKEN_FORM.fullmatch(token)
    if found is None:
        raise Forged(
            say("this link is cut off, or another bridge made it; open the page of this bridge and answer there")
        )
    number, letter, key_id = found.groups()
    key = next((key for key in bridge.vault.derived(KEY_PURPOSE) if _key_id(key) == key_id), None)
    if key is None:
        raise Spent(say("the bridge's key has been changed since this link was made; answer on the page instead"))
    recommendation = bridge.store.recommendations.by_id(int(number))
    if recommendation is None:
        raise Forged(
            say("this link is cut off, or another bridge made it; open the page of this bridge and answer there")
        )
    try:
        _signer(key, recommendation).unsign(token)
    except BadSignature:
        raise Forged(
            say("this link is cut off, or another bridge made it; open the page of this bridge and answer there")
        ) from None
    return recommendation, LETTERS[letter]


def _signer(key: bytes, recommendation: Recommendation) -> Signer:
    times = (recommendation.created_at, recommendation.expires_at)
    salt = "/".join([str(recommendation.user_id), *(time.astimezone(UTC).isoformat() for time in times)])
    return Signer(key, salt=salt, key_derivation="hmac", digest_method=hashlib.sha384)


def _key_id(key: bytes) -> str:
    """Return hex digits that identify a signing key, so that links signed by a former key differ from forgeries."""
    return hashlib.blake2b(key, digest_size=KEY_ID_BYTES).hexdigest()
