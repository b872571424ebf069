"""Laws of rows: late rows are found, vanished rows go, and neither the future nor an absence hides or takes any."""

from __future__ import annotations

import copy
from collections import Counter
from datetime import timedelta
from typing import Any

from tests.contract import accounts
from tests.contract.laws.access import no_cursor_is_ahead
from tests.contract.laws.stage import alive, cases, change, fresh, halves, meanings, went_well, young
from tests.world import World, later, plain

ABSENCES_DAYS = (24, 70)  # a part of a list of four weeks has left it, and all of it


def late_rows_are_found(source: str) -> None:
    """After rows came late, an incremental sync finds the same as a first sync."""
    tried = 0
    for case in cases(source):
        with alive(source, case) as world:
            parts = halves(young(world))
        for part in parts:
            with alive(source, case) as world:
                whole = copy.deepcopy(world.vendor.account)
                accounts.become(world.vendor.account, accounts.without(whole, part))
                if hasattr(world.vendor, "account_changed"):
                    world.vendor.account_changed(whole, world.now - timedelta(days=1))
                went_well(world.sync())
                arrives_late(world, accounts.stamped(whole, part, world.now + timedelta(minutes=30)))
                tried += 1
    assert tried, f"no fixture of {source} has a row within the overlap"


def arrives_late(world: World, wanted: accounts.Account) -> None:
    """Sync an hour later, when the vendor holds ``wanted``, and compare with a first sync."""
    change(world, wanted, world.now + timedelta(minutes=30))
    after = later(world, hours=1)
    went_well(after.sync())
    assert after.contents() == fresh(after), "rows that came late were not found, or others were lost"


def rows_from_the_future_hide_no_late_ones(source: str) -> None:
    """A row that claims to have been changed in two days takes no cursor along. Late rows are found after it."""
    for case in cases(source):
        with alive(source, case) as world:
            found = [row for row in young(world) if accounts.tells_changes(row)]
            if len(found) < 2:
                continue
            ahead, late = found[:1], found[1::2]
            whole = accounts.stamped(world.vendor.account, ahead, world.now + timedelta(days=2))
            before = copy.deepcopy(whole)
            accounts.become(world.vendor.account, accounts.without(whole, late))
            if hasattr(world.vendor, "account_changed"):
                world.vendor.account_changed(before, world.now - timedelta(days=1))
            went_well(world.sync())
            no_cursor_is_ahead(world)
            arrives_late(world, accounts.stamped(whole, late, world.now + timedelta(minutes=30)))


def vanished_rows_are_gone(source: str) -> None:
    """After rows vanished, an incremental sync finds the same as a first sync, but for deletions that SPEC cannot
    know.
    """
    for case in cases(source):
        with alive(source, case) as world:
            parts = halves(young(world))
        for part in parts:
            with alive(source, case) as world:
                went_well(world.sync())
                kept = unknowable(world)
                gone = accounts.with_dependents(world.vendor.account, part)
                change(world, accounts.without(world.vendor.account, gone), world.now + timedelta(minutes=30))
                after = later(world, hours=1)
                went_well(after.sync())
                same_but_for(after.contents(), fresh(after), kept)


def an_absence_loses_nothing(source: str) -> None:
    """After weeks without a sync nothing has gone that the vendor did not delete, e.g. what its list no longer tells.

    A source whose list tells the last days alone reads with ``Window.after(..., held=DAYS)``.
    """
    for case in cases(source):
        for days in ABSENCES_DAYS:
            with alive(source, case) as world:
                went_well(world.sync())
                before = world.contents()
                after = later(world, days=days)
                went_well(after.sync())
                for kind, items in after.contents().items():
                    lost = Counter(map(str, before[kind])) - Counter(map(str, items))
                    assert not lost, f"{len(lost)} {kind} are lost after {days} days without a sync"


def same_but_for(found: dict[str, list[Any]], wanted: dict[str, list[Any]], kept: set[str]) -> None:
    """Both are equal, except that ``found`` may still have what is ``kept``."""
    for kind, items in found.items():
        texts = Counter(str(item) for item in items)
        expected = Counter(str(item) for item in wanted[kind])
        assert not expected - texts, f"{kind} are missing"
        stale = [text for text in texts - expected if text not in kept]
        assert not stale, f"{len(stale)} {kind} vanished at the vendor and stayed"


def unknowable(world: World) -> set[str]:
    """Return the items of streams whose source does not tell deletions, as texts."""
    streams = world.spec.deletions_unknown
    assert all(len(why.split()) >= 5 for why in streams.values()), "SPEC says why deletions cannot be known"
    assert set(streams) <= set(world.spec.streams)
    return {str({"source": world.spec.name, **plain(item)}) for item in meanings(world, set(streams))}
