"""The reported kinds against recurring-ical-events. The public calendars and ical.js: make test-calendars."""

from __future__ import annotations

import warnings
from collections import Counter

import pytest

from tests.ics.expanders.__main__ import KNOWN, span_of
from tests.ics.expanders.cases import written
from tests.ics.test_expansion import ours, theirs

EXPANDER = "recurring-ical-events"


@pytest.mark.parametrize("name", written())
def test_a_kind_differs_for_a_known_reason_alone(name: str) -> None:
    content = written()[name]
    span = span_of(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = theirs(content, *span)
    except ValueError:
        found = Counter()
    assert (ours(content, *span) != found) is ((name, EXPANDER) in KNOWN)
