"""What vendors tell us unasked: checked, written down, answered at once; the next sync follows it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime

from bridge import app, registry
from bridge.errors import SetupError

log = logging.getLogger(__name__)


def take(bridge: app.Bridge, source: str, headers: Mapping[str, str], body: bytes, *, now: datetime) -> int:
    """Keep what a webhook says for every connection it concerns; how many learnt something new.

    ``headers``: names in lower case. Raises Forged for a sender that cannot be believed, SetupError where the source
    has no webhooks.
    """
    spec = registry.spec(source)
    if spec.notices is None:
        raise SetupError(f"{source} has no webhooks")
    notice = registry.resolve(spec.notices)(headers, body, settings=bridge.settings.of_source(spec), now=now)
    if notice is None:
        return 0
    concerned = bridge.store.met(source, notice.member)
    new = sum(bridge.store.note(connection.id, notice, now=now) for connection in concerned)
    log.info("%s: a notice for %d connections, new to %d", source, len(concerned), new)
    return new
