"""Templates to pages: everything is escaped, every name has to exist."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bridge.cli.show import writable
from bridge.web import words

if TYPE_CHECKING:
    from bridge.web.site import Visit

HERE = Path(__file__).parent
STATIC = HERE / "static"


@cache
def static(name: str) -> str:
    """A static file's address, which changes with its content: browsers may keep it for ever."""
    mark = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?{mark}"


@cache
def templates() -> Environment:
    from bridge.web.pages import NAVIGATION

    made = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined)
    made.trim_blocks = made.lstrip_blocks = True
    made.globals |= {"static": static, "navigation": NAVIGATION, "action_name": words.action}
    made.filters |= {"text": writable}
    return made


def page(template: str, visit: Visit | None, *, status: int = 200, path: str = "", **context: Any) -> HTMLResponse:
    """A whole page, or a part of one for htmx. ``path``: the page's place in the navigation."""
    known: dict[str, Any] = {"visit": visit, "csrf": visit.csrf if visit else "", "path": path}
    content = templates().get_template(template).render(known | context)
    return HTMLResponse(content, status_code=status)
