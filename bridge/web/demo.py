"""A made-up person in this installation, for a first look: the recorded life, landed like any sync."""

from __future__ import annotations

from bridge import installation
from bridge.recordings import recorded_life
from bridge.web.jobs import Job
from bridge.web.state import AppState


def begin(state: AppState) -> Job:
    """Land the made-up person's life in the background, once at a time."""
    running = next(iter(state.jobs.running(None)), None)
    return running or state.jobs.start(None, "A made-up person", lambda job: _land(state, job))


def _land(state: AppState, job: Job) -> None:
    """Add the person with every source, or nothing at all."""
    now, store, sources = installation.now(), state.bridge.store, recorded_life.sources()
    with store.transaction():
        user = store.people.add_user(recorded_life.DEMO_USER, recorded_life.DEMO_ZONE, now=now)
        for number, source in enumerate(sources):
            job.text = f"Reading 75 days of {source}"
            job.progress(number, len(sources))
            recorded_life.land(state.bridge, user, source, at=recorded_life.last_morning(now))
