"""The static site of the documents: built by its own command, every link checked, nothing loaded from elsewhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.test_docs import ROOT, program

PYTHON = ROOT / ".venv-release" / "bin" / "python"


def test_broken_links_and_what_is_loaded_from_elsewhere_are_found(tmp_path: Path) -> None:
    made = program("static_site")
    (tmp_path / "a.html").write_text(
        '<h2 id="one">One</h2><a href="b.html#two">well</a><a href="#one">well</a><a href="https://example.org">well</a>'
        '<a href="gone.html">gone</a><a href="b.html#three">no heading</a><img src="picture.png">'
        '<script src="https://example.org/a.js"></script>',
        encoding="utf-8",
    )
    (tmp_path / "b.html").write_text('<h2 id="two">Two</h2><a href="a.html">well</a>', encoding="utf-8")
    assert sorted(made.broken(tmp_path)) == [
        "a.html leads to b.html#three, which has no such heading",
        "a.html leads to gone.html",
        "a.html leads to picture.png",
        "a.html loads https://example.org/a.js",
    ]


def test_every_document_is_in_the_navigation_once() -> None:
    made = program("static_site")
    paths = made.linked()
    home, *groups = made.navigation(paths)
    named = [name for group in groups for entries in group.values() for entry in entries for name in entry.values()]
    documents = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert list(home.values()) == ["README.md"]
    assert len(named) == len(set(named))
    assert documents <= set(named)
    assert {"docs/pictures/today.png", "docs/grafana.json"} <= {path.relative_to(ROOT).as_posix() for path in paths}


@pytest.mark.slow
def test_the_site_is_built_without_a_broken_link() -> None:
    if not PYTHON.exists():
        pytest.skip("MkDocs is not here; run: make site")
    done = subprocess.run([PYTHON, "docs/static_site.py"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 wrong links" in done.stdout
    front = (ROOT / "build" / "site" / "index.html").read_text(encoding="utf-8")
    assert 'src="docs/pictures/today.png"' in front
    assert 'href="docs/start.html"' in front
