"""The documents are true of the program: the reference is current, links and settings exist, commands parse."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
WRITTEN = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")])
BY_HAND = [path for path in WRITTEN if path.parent.name != "reference"]
CODE = ("bridge", "connectors", "classifiers", "policies", "rhythm_env")
REARRANGED = (ROOT / "bridge" / "domain").is_dir()
README_MAX_BYTES, CHANGELOG_MAX_BYTES, PICTURE_MAX_BYTES = 8_000, 6_000, 300_000

FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`\n]+)`")


@cache
def program(name: str) -> ModuleType:
    """A program of ``docs/``, which is not part of a package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def generator() -> ModuleType:
    """The program that writes the reference."""
    return program("generate")


def names(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.timeout(300)
def test_the_reference_is_what_the_program_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert generator().main(["--check"]) == 0, capsys.readouterr().err


def test_a_stale_reference_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = generator()
    for name in made.PAGES:
        (tmp_path / name).write_text((DOCS / "reference" / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "texts.toml").write_text((DOCS / "reference" / "texts.toml").read_text(encoding="utf-8"), "utf-8")
    monkeypatch.setattr(made, "REFERENCE", tmp_path)
    monkeypatch.setattr(made, "PAGES", {"settings.md": made.settings_page})
    assert made.main(["--check"]) == 0
    (tmp_path / "settings.md").write_text("older\n", encoding="utf-8")
    assert made.main(["--check"]) == 1
    assert made.main([]) == 0
    assert made.main(["--check"]) == 0


@pytest.mark.parametrize("name", names(WRITTEN))
def test_links_lead_somewhere(name: str) -> None:
    path = ROOT / name
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as code forges make them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def fenced(text: str) -> Iterator[list[str]]:
    """The commands after a ``$`` in the fenced blocks of a document."""
    for language, block in FENCE.findall(text):
        if language == "console":
            lines = block.replace("\\\n", " ").splitlines()
            yield from (shlex.split(line.strip()[2:]) for line in lines if line.strip().startswith("$ "))


def spans(text: str) -> Iterator[list[str]]:
    """The commands of the bridge that stand in running text."""
    for span in SPAN.findall(FENCE.sub("", text)):
        if span.startswith("bridge "):
            yield span.split()


def test_commands_of_the_documents_exist() -> None:
    known = generator().commands()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    count = 0
    for path in BY_HAND:
        text = path.read_text(encoding="utf-8")
        for words in [*fenced(text), *spans(text)]:
            program = words[0].rpartition("/")[2]
            if program in ("bridge", "rhythm-bridge"):
                check_command(words[1:], known, f"{path.name}: {' '.join(words)}")
                count += 1
            elif program == "make":
                assert re.search(rf"^{words[1]}:", makefile, re.MULTILINE), f"{path.name}: {' '.join(words)}"
    assert count > 100


def check_command(words: list[str], known: dict[str, object], told: str) -> None:
    """A command's name and each of its options exist."""
    name = next((name for length in (2, 1) if (name := " ".join(words[:length])) in known), None)
    if name is None:
        assert [*words[:1], *words[2:]] == words[:1], told  # a group, e.g. "bridge llm STEP"
        assert any(full.startswith(f"{words[0]} ") for full in known), told
        return
    given = {word.partition("=")[0] for word in words if word.startswith("-") and word != "-"}
    assert given <= generator().options(known[name]) | {"--help"}, told


def variables(paths: list[Path]) -> set[str]:
    return {name for path in paths for name in re.findall(r"BRIDGE_[A-Z_]*[A-Z]", path.read_text(encoding="utf-8"))}


def test_settings_of_the_documents_and_of_the_program_are_in_the_reference() -> None:
    reference = DOCS / "reference" / "settings.md"
    known = variables([reference])
    code = [path for folder in CODE for path in (ROOT / folder).rglob("*.py")]
    prefixes = {name for name in variables(code) if any(one.startswith(f"{name}_") for one in known)}
    unknown = (variables(BY_HAND) | variables(code)) - known - prefixes
    assert unknown <= {"BRIDGE_NAME", "BRIDGE_POLICY_NAME", "BRIDGE_SAMPLES"}  # placeholders, and a variable of tests


@pytest.mark.skipif(not REARRANGED, reason="the documents name the folders as they will be")
@pytest.mark.parametrize("name", names(sorted((DOCS / "developers").glob("*.md"))))
def test_files_that_developers_are_sent_to_exist(name: str) -> None:
    for span in SPAN.findall((ROOT / name).read_text(encoding="utf-8")):
        if re.fullmatch(r"(?:bridge|connectors|classifiers|policies|rhythm_env|lab|fixtures|tests|docs)/[\w./]*", span):
            assert (ROOT / span).exists(), span


def test_texts_and_pictures_are_small() -> None:
    assert (ROOT / "README.md").stat().st_size <= README_MAX_BYTES
    assert (ROOT / "CHANGELOG.md").stat().st_size <= CHANGELOG_MAX_BYTES
    pictures = list((DOCS / "pictures").glob("*.png"))
    assert {"today.png", "trends.png", "connections.png"} <= {path.name for path in pictures}
    assert all(path.stat().st_size < PICTURE_MAX_BYTES for path in pictures)


@pytest.mark.slow
def test_a_sample_of_texts_is_the_same_for_the_same_commit() -> None:
    sample = program("sample")
    paths = [path for package in sample.PACKAGES for path in (ROOT / package).rglob("*.py")]
    files = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in (*paths, ROOT / sample.COMMANDS)}
    drawn = sample.drawn("4679fe2", files)
    assert {kind: len(set(texts)) for kind, texts in drawn.items()} == sample.DRAWN
    assert sample.drawn("4679fe2", dict(reversed(files.items()))) == drawn
    assert sample.drawn("5eb3446", files) != drawn
    assert all(one.place.partition(":")[0] in files for texts in drawn.values() for one in texts)
    assert sample.literal(ast.parse("f'no {name}: {spec.title}'", mode="eval").body) == "no {name}: {spec.title}"


def test_types_that_no_example_shows_come_from_the_declaration() -> None:
    made = generator()
    shape = {"": {"object"}, "meters": {"object"}, "meters.METER": {"object"}, "meters.METER.level": {"number"}}
    made.declare(made.declared_type("meters:MetersDocument"), "", shape)
    assert shape["meters.METER.level"] == {"null", "number"}
    assert shape["history[].at"] == {"text"}
