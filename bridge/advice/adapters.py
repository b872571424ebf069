"""Train an adapter of the language model for one user, if enough answers are there.

The adapter is kept if it predicts the user's later answers better than the model without it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from time import monotonic, sleep

from bridge import registry
from bridge.advice import feedback, personalise
from bridge.domain.records import Prior, User
from bridge.installation import Bridge
from rhythm_env.interface import Interaction

POLICY = "llm"
RETRAIN_AFTER = timedelta(days=7)  # the daemon's pause between two attempts
TRAINING_WAIT = timedelta(minutes=30)  # the daemon's wait for a training process; the next process continues
LOOK = 0.5  # seconds between two checks of the process


def attempts(bridge: Bridge, user: User) -> list[Prior]:
    """Return all stored attempts to train the user's adapter, kept or not, of all policy versions, newest first."""
    return [prior for prior in bridge.store.lessons.priors(user.id) if prior.policy.startswith(f"{POLICY}@")]


def given(bridge: Bridge, user: User, now: datetime) -> list[Interaction]:
    """Return all answers since the user's last reset, oldest first.

    Where the user gave no answer, an outcome found in the data counts as an answer.
    """
    found = bridge.store.recommendations.between(user.id, since=begun(bridge, user, now), until=now)
    return [answered for one in found if (answered := feedback.interaction(one, now)) is not None]


def begun(bridge: Bridge, user: User, now: datetime) -> datetime:
    """Return the time from which a user's answers count, which is the last reset, or long ago without a reset."""
    return feedback.reset_time(bridge.store, user, at=now) or now - personalise.BEGINNING


def lacking(bridge: Bridge, user: User, answers: Sequence[Interaction], now: datetime, *, again: timedelta) -> str:
    """Return why no adapter can be trained, as the end of a sentence about the user, or "" if it can.

    ``answers`` are all answers since the last reset, oldest first. ``again`` is the least time since the last attempt.
    """
    span = answers[-1].at - answers[0].at if answers else timedelta(0)
    if span < personalise.LONG_ENOUGH or len(answers) < personalise.MANY_ENOUGH:
        needed = f"{personalise.MANY_ENOUGH} in {personalise.LONG_ENOUGH.days} days"
        return f"has answered {len(answers)} times in {span.days} days; it takes {needed}"
    last = next(iter(attempts(bridge, user)), None)
    if last is None:
        return ""
    through = datetime.fromisoformat(last.body["through"])
    new = sum(answer.at > through for answer in answers)
    if new < personalise.FRESH_ANSWERS or now - last.made_at < again:
        return f"has answered {new} times since the last attempt; it takes {personalise.FRESH_ANSWERS}"
    return ""


def personalise_due(bridge: Bridge, user: User, now: datetime, *, stopped: Callable[[], bool] = lambda: False) -> bool:
    """Run the training of an adapter in another process if it is due and possible. Return True if it ran.

    The process is ended after a time limit, or once ``stopped()`` is True. The next call then continues the training.
    """
    from importlib.util import find_spec

    base = registry.policy_settings(POLICY, bridge.settings)["folder"]
    if not base or find_spec("peft") is None:
        return False
    if lacking(bridge, user, given(bridge, user, now), now, again=RETRAIN_AFTER):
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
    until = monotonic() + TRAINING_WAIT.total_seconds()
    while running.poll() is None:
        if stopped() or monotonic() > until:
            running.terminate()
            return
        sleep(LOOK)
