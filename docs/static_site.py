"""Build the documents as a static site in ``build/site``, with MkDocs, and check each link of its pages.

``make site`` runs this in an environment of its own. The site is the README with every document that it leads to. It
loads nothing from elsewhere. The exit status is 1 if a link leads nowhere.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[1]
SOURCE, SITE = ROOT / "build" / "site-source", ROOT / "build" / "site"
LINK = re.compile(r"\]\(([^)\s]+)\)")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
FIRST = ("start", "page", "plan", "meters", "notifications", "running")  # of the user's documents, in this order
GROUPS = {"Sources": "docs/sources", "Reference": "docs/reference", "Developers": "docs/developers"}
LOADED = {"script": "src", "link": "href", "img": "src"}  # what a page loads by itself


def linked() -> list[Path]:
    """Return the README, all documents, and every file of the checkout that one of them leads to."""
    found, waiting = list[Path](), [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    while waiting:
        path = waiting.pop(0)
        if path in found or not path.is_file():
            continue
        found.append(path)
        if path.suffix == ".md":
            targets = LINK.findall(path.read_text(encoding="utf-8"))
            inside = [target.partition("#")[0] for target in targets if not re.match(r"[a-z]+:", target)]
            waiting += [(path.parent / target).resolve() for target in inside if target]
    return found


def title(path: Path) -> str:
    """Return the heading of a document, without marks."""
    found = TITLE.search(path.read_text(encoding="utf-8"))
    return re.sub(r"[`*]", "", found[1]) if found else path.stem


def navigation(paths: list[Path]) -> list[dict[str, object]]:
    """Return the site's navigation: the README, the user's documents, and each folder as a group."""
    names = {path.relative_to(ROOT).as_posix(): path for path in paths if path.suffix == ".md"}
    grouped = {head: [n for n in names if n.startswith(f"{folder}/")] for head, folder in GROUPS.items()}
    own = [n for n in names if n.startswith("docs/") and n.count("/") == 1]
    own.sort(key=lambda n: (FIRST.index(Path(n).stem) if Path(n).stem in FIRST else len(FIRST), title(names[n])))
    rest = [n for n in names if n != "README.md" and n not in own and not any(n in some for some in grouped.values())]
    groups = {"Use it": own, **grouped, "More": rest}
    entries = [{head: [{title(names[name]): name} for name in some]} for head, some in groups.items()]
    return [{"rhythm-bridge": "README.md"}, *entries]


def build() -> None:
    """Copy the documents and let MkDocs write the site. Raises CalledProcessError for a link that it cannot follow."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    paths = linked()
    for path in paths:
        to = SOURCE / "docs_dir" / path.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    checks = {"links": {"anchors": "warn", "not_found": "warn", "unrecognized_links": "warn"}}
    settings = {
        "site_name": "rhythm-bridge",
        "docs_dir": "docs_dir",
        "site_dir": str(SITE),
        "use_directory_urls": False,  # so that the site can be read from the disk
        "theme": {"name": "readthedocs", "highlightjs": False, "navigation_depth": 2},
        "plugins": ["search"],
        "validation": checks,
        "nav": navigation(paths),
    }
    (SOURCE / "mkdocs.yml").write_text(json.dumps(settings), encoding="utf-8")  # JSON is YAML, too
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--config-file",
        str(SOURCE / "mkdocs.yml"),
    ]
    subprocess.run(command, check=True)  # noqa: S603 - ours


class Links(HTMLParser):
    """Collects where a page leads (``leads``), what it loads (``loads``), and its anchors (``anchors``)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if own := given.get("id"):
            self.anchors.add(own)
        if tag == "a" and (to := given.get("href")):
            self.leads.append(to)
        if tag in LOADED and given.get("rel") != "canonical" and (loaded := given.get(LOADED[tag])):
            self.loads.append(loaded)


def broken(site: Path) -> Iterator[str]:
    """Yield a line for each link of the site that leads nowhere, and for each thing loaded from elsewhere."""
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        yield from (f"{name} loads {to}" for to in page.loads if urlsplit(to).netloc)
        for to in [*page.leads, *page.loads]:
            parts = urlsplit(to)
            if parts.scheme or parts.netloc or name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{name} leads to {to}"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{name} leads to {to}, which has no such heading"


def main() -> int:
    """Build the site and check it. Return 1 if a link leads nowhere."""
    build()
    wrong = list(broken(SITE))
    for line in wrong:
        print(line, file=sys.stderr)
    pages = len(list(SITE.rglob("*.html")))
    print(f"{pages} pages in {SITE.relative_to(ROOT)}, {len(wrong)} wrong links")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
