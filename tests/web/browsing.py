"""A real browser for the tests of the page: Debian's chromium, led by Playwright."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
OPTIONS = ["--no-sandbox", "--disable-background-networking"]
ROOT = Path(__file__).parents[2]
AXE = ROOT / "build" / "axe" / "package" / "axe.min.js"
SCREENS = ROOT / "build" / "screens"
PHONE = {"viewport": {"width": 360, "height": 780}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
AFTER_ENTRY = "2026-11-20T11:50:00+01:00"  # of the demo person's morning, in which nothing is advised
# Contrast is one of the rules; "minor" and "moderate" findings are listed by axe for taste.
GRAVE = ("serious", "critical")


@contextmanager
def chromium() -> Iterator[Any]:
    """Skips where there is no browser."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip("there is no chromium here: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=OPTIONS)
        yield browser
        browser.close()


class Trouble(list[str]):
    """Complaints of a page: errors of scripts, and what the content security policy refused."""

    def watch(self, page: Any) -> Any:
        page.on("pageerror", lambda error: self.append(str(error)))
        page.on("console", lambda said: self.append(said.text) if said.type == "error" else None)
        return page


def picture(page: Any, name: str) -> None:
    SCREENS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SCREENS / f"{name}.png"), full_page=True)


AT_REST = """async () => {
  for (let n = 0; n < 100 && (document.querySelector(".htmx-request") || document.getAnimations().length); n++)
    await new Promise((over) => setTimeout(over, 50));
}"""  # five seconds at most


def grave_findings(page: Any) -> list[str]:
    """Findings that axe-core calls serious or critical, once nothing fades any more.

    Its script runs beside the page's own policy.
    """
    if not AXE.exists():
        pytest.skip("axe-core is not here: make test-web fetches it")
    page.evaluate(AT_REST)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]


def sticking_out(page: Any) -> list[str]:
    """The texts and controls that reach beyond the card that holds them, but for what can be scrolled."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll(".card")].flatMap((card) =>
          [...card.querySelectorAll("*")]
            .filter((one) => !one.closest(".scroll, .visually-hidden, .table, svg, .plot, .readout"))
            .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width)
            .filter((one) => one.getBoundingClientRect().right > card.getBoundingClientRect().right + 1)
            .map((one) => `${card.id || card.className}: ${one.tagName} ${one.textContent.trim().slice(0, 60)}`))"""
    )
    return found


def lived(folder: Path, day: str) -> Path:
    """The demo person's days as an export."""
    command = [sys.executable, "-m", "lab.people.life", str(folder / "life"), day]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return folder / "life"
