"""Rows that vendor servers select, and the error for a vendor whose rows share a key."""

from __future__ import annotations

import doctest

import pytest

from bridge import registry
from bridge.domain.errors import SourceChanged
from bridge.domain.records import RecordResult
from bridge.domain.types import Page, RawRecord
from bridge.ingest.sync import refuse_changed_shape
from lab import vendors


def test_the_examples_of_the_vendors_are_true() -> None:
    assert doctest.testmod(vendors) == (0, 2)


def test_unreadable_records_with_the_key_of_another_are_counted() -> None:
    page = Page(stream="sleep", records=tuple(RawRecord(stream="sleep", key=k, payload={}) for k in "a" * 11 + "b"))
    results = [RecordResult(outcome="new", set_aside="end is not an instant") for _ in page.records]
    with pytest.raises(SourceChanged, match=r"12 of 12 .* \(10 have the key of another record of the page\)"):
        refuse_changed_shape(registry.spec("withings"), page, results)
