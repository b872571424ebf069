"""Laws that every live source keeps. A plug-in, its lab ``Vendor`` and its fixtures are all they need to know.

``LAWS`` names them; each takes a source's name and raises AssertionError where the source breaks it. The ``Vendor``
serves ``account`` live: rows that are taken away or put back there are what the next request gets. One whose changes
bear numbers or leave marks also has ``account_changed(before, at)``, and is told.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from tests.contract.laws.access import (
    consent_is_given_saved_and_used,
    cursors_never_pass_now,
    ended_tokens_cost_no_consent,
    limits_are_waited_out,
    withdrawn_consents_are_over,
)
from tests.contract.laws.meaning import days_are_the_persons, medians_are_of_people
from tests.contract.laws.rows import (
    an_absence_loses_nothing,
    late_rows_are_found,
    rows_from_the_future_hide_no_late_ones,
    vanished_rows_are_gone,
)

LAWS: MappingProxyType[str, Callable[[str], None]] = MappingProxyType(
    {
        law.__name__: law
        for law in (
            late_rows_are_found,
            rows_from_the_future_hide_no_late_ones,
            vanished_rows_are_gone,
            an_absence_loses_nothing,
            ended_tokens_cost_no_consent,
            consent_is_given_saved_and_used,
            withdrawn_consents_are_over,
            limits_are_waited_out,
            cursors_never_pass_now,
            medians_are_of_people,
            days_are_the_persons,
        )
    }
)
