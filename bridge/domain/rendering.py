"""Who reads what is shown, and what each may read. Facts become words here, for one of them."""

from __future__ import annotations

from enum import StrEnum


class Audience(StrEnum):
    """A reader of a surface."""

    PERSON = "person"  # the person whose data it is: page, command line, API with the person's own token
    ASSISTANT_WITH_TITLES = "assistant_with_titles"
    ASSISTANT = "assistant"  # without the consent to titles
    LOCK_SCREEN = "lock_screen"  # messages, Web Push, MQTT, web hooks, shared meters, calendars of others
    LOG = "log"  # logs, diagnostics, errors, metrics

    @property
    def reads_titles(self) -> bool:
        """Return True for an audience that may read titles."""
        return self in {Audience.PERSON, Audience.ASSISTANT_WITH_TITLES}
