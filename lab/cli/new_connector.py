"""Run ``bridge new-connector``, which writes a source's connector, vendor server or files, test and page to fill in."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Annotated

import typer

from bridge.domain.errors import SetupError

SKELETON = Path(__file__).parents[1] / "skeleton"
NAME = re.compile(r"[a-z][a-z0-9_]{1,30}")
RESERVED = ("payload", "windows")  # modules that connectors share
NEXT = """\
Next, in {root}:
1. put one row of each list into fixtures/{name}/sample.json, as the vendor documents it
2. name the fields, addresses and scopes in connectors/{name}/ and lab/vendors/{name}.py; each place says TODO
3. .venv/bin/python -m lab.fixture_maker {name}            makes the cases from the sample; with --anew again
4. .venv/bin/python -m tests.contract.test_fixtures {name} writes what they come to; read it before committing it
5. .venv/bin/pytest tests/contract -k {name}               names what is still missing
6. fill in tests/{name}/test_own.py and docs/sources/{name}.md; a row in README.md, a word in CHANGELOG.md
7. .venv/bin/ruff check --fix connectors/{name} tests/{name}, then make docs lint
All of it is explained in docs/developers/add_a_connector.md."""
NEXT_OF_FILES = """\
Next, in {root}:
1. put ordinary rows of your files, made up, into fixtures/{name}/week/, and odd ones into fixtures/{name}/awkward/
2. name the columns in connectors/{name}/; each place says TODO
3. .venv/bin/python -m tests.contract.test_files {name}   writes what each folder comes to; read it before committing it
4. .venv/bin/pytest tests/contract tests/{name} -k "{name} or own"
5. fill in docs/sources/{name}.md; a row in README.md
6. .venv/bin/ruff check --fix connectors/{name} tests/{name}, then make docs lint
All of it is explained in docs/developers/add_a_connector.md."""
ACCOUNT = {  # place of a file -> its template
    "connectors/NAME/__init__.py": "spec.py.txt",
    "connectors/NAME/client.py": "client.py.txt",
    "connectors/NAME/normalise.py": "normalise.py.txt",
    "lab/vendors/NAME.py": "vendor.py.txt",
    "fixtures/NAME/sample.json": "sample.json",
    "tests/NAME/__init__.py": None,
    "tests/NAME/test_own.py": "test_own.py.txt",
    "docs/sources/NAME.md": "source.md",
}
FILES = {
    "connectors/NAME/__init__.py": "spec_files.py.txt",
    "connectors/NAME/files.py": "files.py.txt",
    "connectors/NAME/normalise.py": "normalise_files.py.txt",
    "fixtures/NAME/week/nights.csv": "nights.csv",
    "fixtures/NAME/week/days.csv": "days.csv",
    "tests/NAME/__init__.py": None,
    "tests/NAME/test_own.py": "test_own_files.py.txt",
    "docs/sources/NAME.md": "source_files.md",
}


def register(app: typer.Typer) -> None:
    app.command(name="new-connector")(new_connector)


def new_connector(
    name: Annotated[
        str,
        typer.Argument(
            help="The source's name, which becomes the folder's: 2 to 31 lower-case letters, digits and "
            "underscores, beginning with a letter."
        ),
    ],
    root: Annotated[
        Path,
        typer.Option(
            "--root",
            help="The folder of a checkout of the project, to write into. If a file of the source exists there, "
            "nothing is written.",
        ),
    ] = Path(),
    files: Annotated[
        bool, typer.Option("--files", help="A source that is read from CSV files, without an account.")
    ] = False,
) -> None:
    """Write first files for a new source: its connector, fixtures, a test, and its page in docs/sources."""
    for path in skeleton(name, root, files=files):
        typer.echo(str(path))
    typer.echo((NEXT_OF_FILES if files else NEXT).format(name=name, root=root.resolve()))


def skeleton(name: str, root: Path, *, files: bool = False) -> list[Path]:
    """Write the files of the new source ``name`` below the checkout ``root``, and return their paths.

    Raises SetupError, and writes nothing, for an impossible name, a folder that is no checkout, or a file that exists.
    """
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or name in RESERVED:
        raise SetupError(
            f"{name!r} cannot name a source; use 2 to 31 lower-case letters, digits and underscores, beginning with a "
            "letter, and no word of Python, e.g. polar"
        )
    if not (root / "connectors" / "payload.py").is_file():
        raise SetupError(f"{root.resolve()} is not a checkout of the project; go there, or name it with --root")
    templates = {root / place.replace("NAME", name): of for place, of in (FILES if files else ACCOUNT).items()}
    there = [str(path) for path in templates if path.exists()]
    if there:
        raise SetupError(f"{there[0]} exists already; choose another name, or delete it to begin again")
    for path, template in templates.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (SKELETON / template).read_text(encoding="utf-8") if template else ""
        path.write_text(text.replace("NAME", name).replace("TITLE", name.capitalize()), encoding="utf-8")
        path.chmod(0o644)  # whatever the shell's umask: other people's tools read them
    return list(templates)
