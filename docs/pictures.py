"""Take the pictures in ``docs/pictures/`` of the page with its made-up person, in Debian's chromium through Playwright.

``python docs/pictures.py`` starts ``bridge web`` in a folder that is deleted afterwards.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

PICTURES = Path(__file__).with_name("pictures")
CHROMIUM = "/usr/bin/chromium"
NOW = "2026-11-20T11:50:00+01:00"  # after an entry, in which nothing is advised
MADE_UP_MS = 300_000  # the made-up person's 75 days may take that long on a slow machine


@contextmanager
def served() -> Iterator[str]:
    """Serve an empty installation, and give its address."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BRIDGE_")}
        environment |= {"BRIDGE_HOME": folder, "BRIDGE_NOW": NOW}
        command = [sys.executable, "-m", "bridge", "web", "--port", "0"]
        server = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)  # noqa: S603 - ours
        try:
            if server.stderr is None:
                raise OSError("the server has no standard error")
            yield server.stderr.readline().removeprefix("open ").strip()
        finally:
            server.terminate()
            server.wait(timeout=30)


def take(page: Page, address: str) -> None:
    """Let the made-up person live, and take each picture."""
    page.goto(address)
    page.get_by_role("button", name="made-up").click()
    page.wait_for_selector("#advice .big", timeout=MADE_UP_MS)
    page.wait_for_selector("#plan .timeline")
    page.screenshot(path=PICTURES / "today.png")
    page.goto(f"{address}connections")
    page.wait_for_selector("#sources")
    page.screenshot(path=PICTURES / "connections.png")
    page.goto(f"{address}trends")
    page.wait_for_selector("#charts canvas")
    page.screenshot(path=PICTURES / "trends.png")


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with served() as address, sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        take(browser.new_page(viewport={"width": 1120, "height": 800}), address)
        browser.close()


if __name__ == "__main__":
    main()
