"""Serve the meters that users share with each other as JSON."""

from __future__ import annotations

from fastapi import APIRouter

from bridge.documents.household import HouseholdDocument, household_document
from bridge.web.state import Visitor

router = APIRouter(tags=["household"])


@router.get("/household")
def household(visit: Visitor) -> HouseholdDocument:
    """Return the meters that the user shares, and those that other users share with the user, with levels in words."""
    return household_document(visit.bridge, visit.user, visit.readings_of)
