"""Planted faults break their law, and the sound source keeps all laws."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import connectors
import lab
from bridge import registry
from lab import vendors
from tests.contract import planted
from tests.contract.laws import LAWS
from tests.world import served

HERE = Path(planted.__file__).parent
FAULTS = {  # fault -> the law it breaks, and what that says
    "the consent is not saved": ("consent_is_given_saved_and_used", "was not saved"),
    "scopes are divided by blanks": ("consent_is_given_saved_and_used", "scope_separator"),
    "a consent is withdrawn here alone": ("withdrawn_consents_are_over", "accepted after it was withdrawn"),
    "a withdrawal names no token": ("withdrawn_consents_are_over", "did not confirm"),
    "a rotated token is not saved": ("ended_tokens_cost_no_consent", "log in again"),
    "the cursor is a day past now": ("cursors_never_pass_now", "cursor of night lies ahead"),
    "lastupdate lies in the future": ("late_rows_are_found", "came late"),
    "deletions are not delivered": ("vanished_rows_are_gone", "vanished at the vendor and stayed"),
    "what left the list is deleted": ("an_absence_loses_nothing", "lost after 70 days"),
    "a limit's time is not read": ("limits_are_waited_out", "due too early"),
    "nights are dated by UTC": ("days_are_the_persons", "dates or times change"),
    "the offset's sign is reversed": ("days_are_the_persons", "an offset of -60 minutes"),
    "efficiency is a share": ("medians_are_of_people", "sleep_efficiency .* spreads from people's"),
    "a limit is answered as stop": ("limits_are_waited_out", "stops the source"),
}


@pytest.fixture(autouse=True)
def _tide(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The source lies beside the others, as if in their folders."""
    fixtures = lab.fixtures
    monkeypatch.setattr(connectors, "__path__", [*connectors.__path__, str(HERE / "connectors")])
    monkeypatch.setattr(vendors, "__path__", [*vendors.__path__, str(HERE / "lab")])
    monkeypatch.setattr(
        lab, "fixtures", lambda source: HERE / "fixtures" / source if source == "tide" else fixtures(source)
    )
    registry.spec.cache_clear()
    yield
    registry.spec.cache_clear()


def test_the_source_is_found() -> None:
    assert ("tide", "week") in served()


@pytest.mark.parametrize("law", LAWS)
def test_a_sound_source_keeps_the_law(law: str) -> None:
    LAWS[law]("tide")


@pytest.mark.parametrize(("fault", "law"), FAULTS.items())
def test_a_planted_fault_breaks_its_law(fault: str, law: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    name, says = law
    monkeypatch.setattr(planted, "FAULT", fault)
    with pytest.raises(AssertionError, match=says):
        LAWS[name]("tide")
