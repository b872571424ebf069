"""A person's own adapter of the language model: made of three weeks of answers, kept only if it is better, taken back.

What was tried stands beside the planner's priors, under the policy ``llm``; the adapter itself is a folder below
``adapters``, by the name that a server knows it under. Training runs in a process of its own: slowly, with few threads,
and from where it was stopped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from bridge import advise, personalise, registry
from bridge.app import Bridge
from bridge.errors import SetupError
from bridge.ports import Prior, Recommendation, User
from rhythm_env.interface import Answer, Interaction, observation_from_json

POLICY = "llm"
AGAIN = timedelta(days=7)  # between two attempts of the daemon
LONGEST = timedelta(minutes=30)  # that the daemon waits for one; the next goes on from there
NICE = 15
LOOK = 0.5  # seconds between two looks at a process

Step = Callable[[int, int], None]


def make(
    bridge: Bridge, user: User, *, now: datetime, base: Path, threads: int, on_step: Step, options: dict[str, Any]
) -> Prior:
    """Tune, try, and write the attempt down. Raises SetupError where there is too little, ImportError without torch."""
    tokens = registry.part(POLICY, "training.model").facts_of(base).tokens
    pairs = _advice(bridge, user, now)
    enough(bridge, user, [one for one, _ in pairs], now)
    personal, tuning = registry.part(POLICY, "personal"), registry.part(POLICY, "training.tuning")
    rows = [
        personal.row(
            observation_from_json(advice.observation),
            reasons=advice.reasons,
            belief=advice.belief,
            action=advice.action,
            taken=answered.answer is Answer.ACCEPT,
            tokens=tokens,
        )
        for answered, advice in pairs
    ]
    name = f"u{user.id}-v{1 + len(_tried(bridge, user))}"
    found = tuning.tune(
        rows, tuning.Course(base=base, out=bridge.settings.adapters / name, threads=threads, **options), on_step
    )
    made = Prior(
        policy=_version(bridge),
        made_at=now,
        body={"adapter": name, "through": pairs[-1][0].at.isoformat()},
        **found,
    )
    bridge.store.add_prior(user.id, made)
    return made


def _version(bridge: Bridge) -> str:
    policy = bridge.policy(POLICY)
    return f"{policy.name}@{policy.version}"


def _tried(bridge: Bridge, user: User) -> list[Prior]:
    """All attempts, the newest first."""
    return [one for one in bridge.store.priors(user.id) if one.policy.startswith(f"{POLICY}@")]


def given(bridge: Bridge, user: User, now: datetime) -> list[Interaction]:
    """All that a person has answered since they began anew, oldest first."""
    found = bridge.store.stated(user.id, since=_begun(bridge, user, now), until=now)
    return [answered for one in found if (answered := advise.interaction(one, now)) is not None]


def _advice(bridge: Bridge, user: User, now: datetime) -> list[tuple[Interaction, Recommendation]]:
    """The same with the advice."""
    found = bridge.store.recommendations(user.id, since=_begun(bridge, user, now), until=now)
    pairs = ((advise.interaction(one, now), one) for one in found)
    return [(answered, one) for answered, one in pairs if answered is not None]


def _begun(bridge: Bridge, user: User, now: datetime) -> datetime:
    return advise.anew_since(bridge.store, user, at=now) or now - personalise.BEGINNING


def enough(bridge: Bridge, user: User, answers: Sequence[Interaction], now: datetime) -> None:
    """Raises SetupError, with the next command, where there is too little to learn or nothing new."""
    little = lacking(bridge, user, answers, now, again=timedelta(0))
    if little:
        raise SetupError(f"{user.name} {little}: bridge recommend --user {user.name}")


def lacking(bridge: Bridge, user: User, answers: Sequence[Interaction], now: datetime, *, again: timedelta) -> str:
    """What there is too little of; empty: nothing."""
    span = answers[-1].at - answers[0].at if answers else timedelta(0)
    if span < personalise.LONG_ENOUGH or len(answers) < personalise.MANY_ENOUGH:
        needed = f"{personalise.MANY_ENOUGH} in {personalise.LONG_ENOUGH.days}"
        return f"has answered {len(answers)} times in {span.days} days; it takes {needed}"
    last = next(iter(_tried(bridge, user)), None)
    if last is None:
        return ""
    through = datetime.fromisoformat(last.body["through"])
    new = sum(one.at > through for one in answers)
    if new < personalise.FRESH or now - last.made_at < again:
        return f"has answered {new} times since the last attempt; it takes {personalise.FRESH}"
    return ""


def take_back(bridge: Bridge, user: User) -> datetime:
    """The newest kept adapter no longer counts; the one before it does. Raises SetupError where none is."""
    when = bridge.store.take_back_prior(user.id, _version(bridge))
    if when is None:
        raise SetupError(f"{user.name} has no adapter: bridge llm personalise --user {user.name} --model FOLDER")
    return when


def history(bridge: Bridge, user: User) -> list[Prior]:
    """All attempts, the newest first."""
    return _tried(bridge, user)


def personalise_due(bridge: Bridge, user: User, now: datetime, *, stopped: Callable[[], bool] = lambda: False) -> bool:
    """What the daemon calls once a day: True where an attempt was made or went on, in a process of its own.

    Nothing happens unless the policy's ``folder`` names the model that is served, nor where the training's packages are
    missing. It waits for that process, half an hour at most, and ends it when ``stopped``; the next call goes on there.
    """
    from importlib.util import find_spec

    base = registry.policy_settings(POLICY, bridge.settings)["folder"]
    if not base or find_spec("peft") is None:
        return False
    if lacking(bridge, user, given(bridge, user, now), now, again=AGAIN):
        return False
    command = [sys.executable, "-m", "bridge", POLICY, "personalise", f"--user={user.name}", f"--model={base}"]
    settings = {"BRIDGE_HOME": str(bridge.settings.folder), "BRIDGE_DATABASE": bridge.settings.database}
    with subprocess.Popen(  # noqa: S603 - our own command
        command,
        env={**os.environ, **settings, "OMP_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        _wait(running, stopped)
    return True


def _wait(running: subprocess.Popen[bytes], stopped: Callable[[], bool]) -> None:
    """Until it is done, or ended because time is up: what it has learned by then is kept."""
    until = monotonic() + LONGEST.total_seconds()
    while running.poll() is None:
        if stopped() or monotonic() > until:
            running.terminate()
            return
        sleep(LOOK)
