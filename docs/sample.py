"""Draw docstrings, error texts and lines of ``--help`` at random, for readers to say in their own words.

``python docs/sample.py --commit ID`` prints them numbered, the same for everybody who names the same commit. The texts
are those of that commit, whatever is checked out. ``--places`` adds file and line, to look up the right answer.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import re
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGES = ("bridge", "connectors", "classifiers", "policies", "rhythm_env")
BRACES = re.compile(r"\{[^{}]*\}")
ERRORS, COMMANDS = "bridge/domain/errors.py", "docs/reference/commands.md"
DRAWN = {"docstrings": 30, "error texts": 15, "lines of --help": 15}
ROW = re.compile(r"^\| `(?P<option>[^`]+)` \| (?P<meaning>.+) \|$")
HEADING = re.compile(r"^### `(?P<command>bridge [^`]+)`$")
Documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Drawable(NamedTuple):
    """A text with its place. ``about`` is the line that a reader sees above the text."""

    place: str
    about: str
    text: str


parsed = cache(ast.parse)


def files_of(commit: str) -> dict[str, str]:
    """Return path -> text of every file of a commit that is read here."""
    command = ["git", "-C", str(ROOT), "archive", commit, "--", *PACKAGES, COMMANDS]
    packed = subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        wanted = [one for one in archive if one.isfile() and one.name.endswith((".py", ".md"))]
        return {one.name: opened.read().decode() for one in wanted if (opened := archive.extractfile(one))}


def docstrings(files: Mapping[str, str]) -> Iterator[Drawable]:
    """Yield every docstring of the product, with the signature it belongs to."""
    for path, text in files.items():
        if not path.endswith(".py"):
            continue
        tree = parsed(text)
        owners = {id(one): node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.body}
        for node in ast.walk(tree):
            if isinstance(node, Documented) and (said := ast.get_docstring(node)):
                line = 1 if isinstance(node, ast.Module) else node.lineno
                owner = f" of class {owners[id(node)]}" if id(node) in owners else ""
                yield Drawable(f"{path}:{line}", signature(node) + owner, said)


def signature(node: ast.AST) -> str:
    """Return a definition's first line without decorators, or "a module"."""
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return f"def {node.name}({ast.unparse(node.args)}){result}"
    return "a module"


def error_texts(files: Mapping[str, str]) -> Iterator[Drawable]:
    """Yield the text of every error of the bridge that is raised with a text. Values stand in braces.

    Texts of fewer than three words of their own are left out. The next step that a sync prints beside every error of
    its class stands above the text.
    """
    beside = next_steps(files[ERRORS])
    for path, text in files.items():
        if not path.endswith(".py"):
            continue
        for node in ast.walk(parsed(text)):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args):
                continue
            name, said = ast.unparse(node.exc.func).rpartition(".")[2], node.exc.args[0]
            words = literal(said)
            if name in beside and len(BRACES.sub("", words).split()) >= 3:
                about = f"{name}; after a sync it is printed with: {beside[name]}" if beside[name] else name
                yield Drawable(f"{path}:{node.lineno}", about, words)


def next_steps(text: str) -> dict[str, str]:
    """Return class -> next step printed beside its errors, own or inherited, for the errors that ``text`` defines."""
    found: dict[str, str] = {}
    for node in parsed(text).body:
        if isinstance(node, ast.ClassDef):
            own = [
                one.value for one in node.body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "then"
            ]
            found[node.name] = literal(own[0]) if own else found.get(ast.unparse(node.bases[0]), "")
    return found


def literal(node: ast.expr) -> str:
    """Return a string, an f-string or a text to translate as a user would read it. Anything else gives ""."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in {"_", "say"}:
        return literal(node.args[0])
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            f"{{{ast.unparse(part.value)}}}" if isinstance(part, ast.FormattedValue) else literal(part)
            for part in node.values
        )
    return ""


def help_lines(files: Mapping[str, str]) -> Iterator[Drawable]:
    """Yield each option's meaning and each paragraph about a command, from the generated reference of ``--help``."""
    command, paragraph = "", list[str]()
    for number, line in enumerate(files[COMMANDS].splitlines(), 1):
        place = f"{COMMANDS}:{number}"
        if heading := HEADING.match(line):
            command = heading["command"]
        elif row := ROW.match(line):
            yield Drawable(place, f"{command}: {row['option']}", row["meaning"])
        elif command and line and not line.startswith(("|", "#")):
            paragraph.append(line)
        elif paragraph:
            yield Drawable(f"{COMMANDS}:{number - len(paragraph)}", command, " ".join(paragraph))
            paragraph = []


def drawn(commit: str, files: Mapping[str, str]) -> dict[str, list[Drawable]]:
    """Return the texts of each kind that this commit's id draws."""
    found = zip(DRAWN.items(), (docstrings(files), error_texts(files), help_lines(files)), strict=True)
    return {kind: random.Random(f"{commit} {kind}").sample(sorted(texts), count) for (kind, count), texts in found}


def main(arguments: list[str] | None = None) -> None:
    """Print the texts that a commit draws."""
    parser = argparse.ArgumentParser(prog="python docs/sample.py", description=__doc__)
    parser.add_argument("--commit", required=True, help="the commit whose texts are drawn, and whose id is the seed")
    parser.add_argument("--places", action="store_true", help="add the file and line of each text")
    given = parser.parse_args(arguments)
    command = ["git", "-C", str(ROOT), "rev-parse", "--verify", f"{given.commit}^{{commit}}"]
    commit = subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()  # noqa: S603
    for kind, texts in drawn(commit, files_of(commit)).items():
        print(f"\n{kind}")
        for number, one in enumerate(texts, 1):
            place = f"   [{one.place}]" if given.places else ""
            print(f"\n{number}. {one.about}{place}")
            print("\n".join(f"   {line}".rstrip() for line in one.text.splitlines()))


if __name__ == "__main__":
    main()
