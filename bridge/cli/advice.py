"""Run ``bridge observe``, ``today``, ``recommend``, ``feedback`` and ``personalise``, the commands of the model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError
from bridge.domain.languages import capital

if TYPE_CHECKING:
    from bridge.documents.planning import OfferDocument
    from bridge.domain.facts import Fact
    from bridge.domain.records import Deed, Prior, Recommendation, Silence, User
    from bridge.domain.types import Reading
    from rhythm_env.interface import Answer, MeterState


@options.command()
def observe(user: options.User, at: options.At = None, json: options.Json = False) -> None:
    """Print the observation, from which recommendations are made, as it is now or was at an earlier instant."""
    from bridge.advice import recommend as advise
    from bridge.documents.meters import reading_document
    from bridge.documents.text import slot_name
    from bridge.domain.slots import moment_at

    with options.opened(user, at) as (bridge, person, when):
        observation, readings = advise.build_observation(bridge, person, at=when)
    if json:
        body = observation.to_json()
        body["at"] = when.isoformat()
        body["readings"] = {str(meter): reading_document(reading) for meter, reading in readings.items()}
        show.document(body)
        return
    typer.echo(f"{user}, {slot_name(moment_at(when, person.zones))}, step {observation.timestep} of 28")
    show.meters({meter: _as_seen(reading, observation.meters[meter]) for meter, reading in readings.items()})
    if not all(reading.validated for reading in readings.values()):
        typer.echo("* not validated against people's own reports. 0.70 is your normal; nothing here is medical.")
    typer.echo("The model sees it so: Progress since Monday, the others at its own pace. For people: bridge meters")


def _as_seen(reading: Reading, state: MeterState) -> Reading:
    return replace(reading, level=state.level, sd=state.sd, coverage=state.coverage)


@options.command()
def today(user: options.User, json: options.Json = False) -> None:
    """Print today's events until 06:00 of the next day, and the action that each of them is."""
    from bridge.advice.labels import of_days
    from bridge.documents.calendar import today_event_document

    with options.opened(user) as (bridge, person, now):
        _, _, entries = of_days(bridge, person, 1, at=now)
    show.table(
        [today_event_document(occurrence, label, person.zones) for occurrence, label in entries],
        ("from", "to", "title", "action", "confidence", "why"),
        json=json,
    )


@options.command()
def recommend(
    user: options.User,
    policy: Annotated[
        str | None, typer.Option(help="Use this policy (see: bridge sources). Default: BRIDGE_POLICY's.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Recommend an action for this slot. Asking again returns the same recommendation, unless your day has changed.

    A recommendation that another policy has made for this slot stays, whatever --policy says. With --json, `not_asked`
    then says so.
    """
    from bridge.advice import requests
    from bridge.documents.recommendations import advice_document
    from bridge.documents.text import slot_name
    from bridge.domain.records import Silence
    from bridge.domain.rendering import for_person, told
    from bridge.domain.titles import answer_text

    with options.opened(user) as (bridge, person, now):
        advice = requests.recommend(bridge, person, now=now, policy=policy)
        withheld = requests.withheld(bridge, person, advice)
        following = requests.next_entry(bridge, person, now)
    note = requests.not_asked(advice, policy)
    if json:
        held = {str(action): told(why) for action, why in withheld.items()}
        named = {} if policy is None else {"not_asked": note}
        show.document({**advice_document(advice, person.zones), "withheld": held, **named})
        return
    if note is not None:
        typer.echo(note)
    if isinstance(advice, Silence):
        texts = for_person(advice.facts)
        typer.echo(f"{slot_name(advice.moment)}: {texts.pop(0) if advice.must_do else 'no advice'}")
        for reason in texts:
            typer.echo(f"  {reason}")
        _print_next(following)
        return
    typer.echo(_headline(advice, person))
    for reason in for_person(advice.facts):
        typer.echo(f"  because {reason}")
    if advice.answer is not None:
        typer.echo(f"You answered: {answer_text(advice.answer, advice.moved_to)}.")
    else:
        typer.echo(f"Answer: bridge feedback accept|ignore|reschedule --user {user} --id {advice.id}")
    _print_next(following)


def _print_next(following: Fact | None) -> None:
    from bridge.domain.rendering import for_person

    for text in for_person([] if following is None else [following]):
        typer.echo(text)


def _headline(advice: Recommendation, user: User) -> str:
    from bridge.documents.text import slot_name
    from bridge.domain.slots import local_time

    if advice.start is None or advice.end is None:
        until = local_time(advice.expires_at, user.zones)
        return f"{slot_name(advice.moment)}: {advice.action}  (until {until:%H:%M}, {advice.policy})"
    start, end = (local_time(at, user.zones) for at in (advice.start, advice.end))
    keep = "keep " if advice.kind == "keep" else ""
    what = f": {advice.what}" if advice.what else ""
    return f"{start:%H:%M}-{end:%H:%M} {keep}{advice.action}{what}  ({slot_name(advice.moment)}, {advice.policy})"


@options.command()
def feedback(
    answer: Annotated[
        str,
        typer.Argument(
            help="Answer with accept, ignore or reschedule. Afterwards tell the outcome with done, partly or not_done."
        ),
    ],
    user: options.User,
    recommendation: Annotated[
        int | None,
        typer.Option(
            "--id",
            help="The recommendation's number in bridge history. Default: the newest that awaits this answer.",
            max=options.ROW_ID_MAX,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            help='For reschedule: move it to this slot of the next seven days, e.g. "Thu evening". The slots are '
            "morning, afternoon, evening and night. Default: up to three good times are offered.",
            metavar="DAY SLOT",
        ),
    ] = None,
    because: Annotated[
        str | None,
        typer.Option(
            help="For ignore: not-today (the action is not suggested again today), wrong-time (not in this part of "
            "the day again), never (not again), or something-else (show the next idea)."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Answer a recommendation, or say what became of it.

    The model learns +1 from accept and done, and -1 from ignore, reschedule and not_done. An answer can be changed
    until the recommendation's day ends, at 06:00 of the following morning.
    """
    from bridge.advice import outcomes, requests, rescheduling, wishing
    from bridge.advice import recommend as advise
    from bridge.documents.inputs import parse_answer, parse_slot
    from bridge.documents.planning import offer_documents
    from bridge.documents.recommendations import advice_document, recommendation_document
    from bridge.domain.records import Deed
    from rhythm_env.interface import Answer

    given = parse_answer(answer)
    if because is not None and given is not Answer.IGNORE:
        raise SetupError(
            "--because goes with the answer ignore alone; leave it out, or write: "
            f"bridge feedback ignore --because not-today --user {user}"
        )
    with options.opened(user) as (bridge, person, now):
        why = None if because is None else wishing.parse_because(because, person)
        if recommendation is None:
            waiting = outcomes.last_unsaid if isinstance(given, Deed) else advise.latest
            newest = waiting(bridge.store, person, now=now)
            if newest is None:
                raise SetupError(
                    f"no recommendation is waiting for this answer; ask for one: bridge recommend --user {user}, "
                    f"or name an earlier one by --id (see: bridge history --user {user})"
                )
            recommendation = newest.id
        moved = parse_slot(to, now, person.zones) if to else None
        advice = rescheduling.answer(bridge, person, recommendation, given, now=now, moved_to=moved)
        only_today = False
        wished, rule = bridge.store.people.wishes(person.id), why and wishing.lasting(advice, person, why)
        if rule and not json and sys.stdin.isatty() and not typer.confirm(f"{capital(rule.told)}?", default=True):
            only_today, rule = True, None
        refuse = partial(wishing.refuse, bridge.store, person, advice.id, now=now, only_today=only_today)
        done = None if why is None else refuse(why)
        further = None if why is None else requests.following(bridge, person, advice.id, now=now)
        free = rescheduling.offered(bridge, person, advice, now=now)
        offers = None if free is None else offer_documents(free, person.zones, now=now)
        slot = _taken(offers or ()) if not json else None
        if slot is not None:
            moved, offers = parse_slot(slot, now, person.zones), None
            advice = rescheduling.answer(bridge, person, recommendation, given, now=now, moved_to=moved)
    body = {**recommendation_document(advice, person.zones), **({} if offers is None else {"offers": offers})}
    told = _noted(advice, given, person)
    if done is not None and further is not None:
        body |= {"follows": done, "next": advice_document(further, person.zones)}
        if rule:
            body["undo"] = wishing.undoing(wished, rule, person)
            told += f" {capital(rule.told)}. To undo it: {body['undo']}"
        elif why is not wishing.Because.SOMETHING_ELSE:
            told += f" {capital(done)}."
        told += "\n" + _next_idea(further, person)
    show.result(body, told, json=json)
    if offers is not None and not json:
        _offer(offers, advice, user)


def _next_idea(further: Recommendation | Silence, user: User) -> str:
    from bridge.domain.records import Recommendation
    from bridge.domain.rendering import for_person

    if isinstance(further, Recommendation):
        return f"Next: {_headline(further, user)}"
    return "No other idea now: " + "; ".join(for_person(further.facts))


def _noted(advice: Recommendation, given: Answer | Deed, user: User) -> str:
    from bridge.domain.slots import local_time, moment_at
    from bridge.domain.titles import answer_text
    from rhythm_env.interface import Answer

    start, time = advice.start, ""
    if start is not None and moment_at(start, user.zones) == advice.moved_to:
        time = f", at {local_time(start, user.zones):%a %H:%M}"
    said = answer_text(given) if isinstance(given, Answer) else given.replace("_", " ")
    return f"{advice.action}: {said}{time}. Thank you, the next advice will know."


def _taken(offers: Sequence[OfferDocument]) -> str | None:
    """Offer times at a terminal, and return the slot of the chosen one. None without a terminal or a choice."""
    if not offers or not sys.stdin.isatty():
        return None
    for number, offer in enumerate(offers, start=1):
        typer.echo(f"{number}  {offer['when']}")
    chosen: int = typer.prompt("Which time? (0: none of them)", default=1, type=int)
    return offers[chosen - 1]["slot"] if 1 <= chosen <= len(offers) else None


def _offer(offers: Sequence[OfferDocument], advice: Recommendation, user: str) -> None:
    if not offers:
        typer.echo('No free time within six days suits it. Name a slot: --to "Thu evening"')
    for offer in offers:
        take = f'bridge feedback reschedule --user {user} --id {advice.id} --to "{offer["slot"]}"'
        typer.echo(f"  {offer['when']}: {take}")


@options.command()
def personalise(
    user: options.User,
    undo: Annotated[
        bool,
        typer.Option("--undo", help="Forget what was learned last about this user, and advise as before that."),
    ] = False,
    history: Annotated[
        bool,
        typer.Option(
            "--history",
            help="List all attempts to learn with their gain in nats per answer (above 0 predicts better), and change "
            "nothing.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Learn from all answers of a user which advice that user tends to take (a prior of the policy).

    The prior is kept only if it predicts answers that it has not seen better than the prior in use does.
    """
    from bridge import installation
    from bridge.advice import personalise as learning

    with installation.open_bridge() as bridge:
        person, policy, now = bridge.store.people.user(user), bridge.policy(), installation.now()
        if undo:
            when = bridge.store.lessons.withdraw_prior(person.id, f"{policy.name}@{policy.version}")
            if when is None:
                raise SetupError(
                    f"there is no prior of {user} to withdraw; learn one: bridge personalise --user {user}"
                )
        elif not history:
            learning.personalise(bridge.store, person, policy, now=now)
        rows = [_prior(prior) for prior in bridge.store.lessons.priors(person.id)]
    if json:
        show.document(rows if history else {"user": user, "undone": undo, **rows[0]})
    elif history or undo:
        show.table(rows, ("made_at", "policy", "learnt_from", "tried_on", "gain", "kept"))
    else:
        typer.echo(_personalised(rows[0], user))


def _prior(prior: Prior) -> dict[str, Any]:
    return {
        "made_at": prior.made_at.isoformat(timespec="seconds"),
        "policy": prior.policy,
        "learnt_from": prior.learnt_from,
        "tried_on": prior.tried_on,
        "gain": round(prior.gain, 4),
        "kept": prior.kept,
    }


def _personalised(row: dict[str, Any], user: str) -> str:
    tried = f"of {row['learnt_from']} answers, tried on the last {row['tried_on']}: {row['gain']:+.3f} nats an answer"
    if row["kept"]:
        undo = f"bridge personalise --undo --user {user}"
        return f"Learnt ({tried}). From now on five days of answers are enough. To undo: {undo}"
    return f"Not kept ({tried}): the model as it was predicts as well. It is tried again as answers come in."
