"""Today: how you are, what the day holds, and one recommendation."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bridge.web.render import page
from bridge.web.site import Visitor

router = APIRouter()


@router.get("/")
def today(visit: Visitor) -> HTMLResponse:
    return page("today.html", visit, path="/")
