"""Write ``docs/reference/`` from the program itself, and ``docs/conformance.md`` from the tests.

``python docs/generate.py`` writes the files. With ``--check`` nothing is written, and the exit code is 1 where a file
is stale. Texts that the program does not hold are in ``docs/reference/texts.toml``.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import shlex
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NotRequired, Union, get_args, get_origin, get_type_hints

import typer
from typing_extensions import is_typeddict

from bridge import config, registry
from bridge.cli import app
from bridge.documents.filling import told_of

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
CONFORMANCE = ROOT / "docs" / "conformance.md"
HEAD = "<!-- Written by `make docs` from the program itself. Change the program, then run it again. -->\n\n"
LABORATORY = "The laboratory"
NOW = "2026-11-20T07:40:00+01:00"  # the day of the fixtures, awake, before its entry
FILES = ("apple_health/week", "garmin/watch", "health_auto_export/week", "ics/downloads", "messages/weeks")
NAMES_OF_JSON = {str: "text", bool: "yes or no", int: "number", float: "number", type(None): "null"}

METRICS = {str(what) for spec in registry.specs() for what in spec.delivers}

LISTS, MAPS = (list, tuple, Sequence), (dict, Mapping)

Shape = dict[str, set[str]]  # dotted path of a key -> the types seen there


@cache
def texts() -> dict[str, Any]:
    """Return the hand-written half: groups of commands, example commands, meanings of JSON keys."""
    return tomllib.loads((REFERENCE / "texts.toml").read_text(encoding="utf-8"))


# Commands


def commands() -> dict[str, Any]:
    """Return every command by its full name, e.g. ``user add``. A group that is a command itself is one too."""
    return dict(_commands(typer.main.get_command(app), ""))


def _commands(group: Any, before: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        children = hasattr(command, "commands")
        if not children or command.invoke_without_command:
            yield before + name, command
        if children:
            yield from _commands(command, f"{before}{name} ")


def of_laboratory(found: Mapping[str, Any]) -> list[str]:
    """Return the names of commands that the laboratory adds to the product's."""
    return [name for name, command in found.items() if command.callback.__module__.partition(".")[0] == "lab"]


def options(command: Any) -> set[str]:
    """Return the options of a command in all their spellings."""
    return {spelling for one in command.params for spelling in (*one.opts, *one.secondary_opts)}


def commands_page() -> str:
    """Return the page of all commands. Raises ValueError for a command that stands in no group."""
    found, groups = commands(), dict(texts()["groups"])
    listed = [name for names in groups.values() for name in names]
    groups[LABORATORY] = [*groups[LABORATORY], *(name for name in of_laboratory(found) if name not in listed)]
    listed = [name for names in groups.values() for name in names]
    if sorted(listed) != sorted(found):
        raise ValueError(f"docs/reference/texts.toml groups other commands: {sorted(set(listed) ^ set(found))}")
    parts = ["# Commands\n", texts()["commands"]["head"]]
    for title, names in groups.items():
        parts += [f"\n## {title}\n", *(_command(name, found[name]) for name in names)]
    return "\n".join(parts)


def _command(name: str, command: Any) -> str:
    context = command.context_class(command, info_name=name)
    records = [record for one in command.params if (record := one.get_help_record(context))]
    rows = [f"| `{what}` | {_cell(meaning)} |" for what, meaning in records]
    table = ["| option | meaning |", "|---|---|", *rows, ""] if rows else []
    arguments = "".join(f" {one.opts[0].upper()}" for one in command.params if one.param_type_name == "argument")
    return "\n".join([f"### `bridge {name}{arguments}`\n", f"{(command.help or '').strip()}\n", *table])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# Settings


def settings_page() -> str:
    """Return the page of all settings, from their declarations."""
    own = [(f"BRIDGE_{one.name}".upper(), one.name, one) for one in config.INSTALLATION]
    parts = ["# Settings\n", texts()["settings"]["head"], "\n## The installation\n", _settings(own)]
    shared = [(config.variable_of("mqtt", one), f"[mqtt] {one.name}", one) for one in config.MQTT]
    parts += ["\n## MQTT\n", _settings(shared)]
    asked = [(config.variable_of("ask", one), f"[ask] {one.name}", one) for one in config.ASK]
    parts += ["\n## Questions\n", _settings(asked)]
    parts += ["\n## Variables only\n", "| variable | meaning |", "|---|---|"]
    parts += [f"| `{name}` | {meaning} |" for name, meaning in texts()["variables"].items()]
    for title, kind in (("Sources", "connectors"), ("Classifiers", "classifiers"), ("Policies", "policies")):
        parts.append(f"\n\n## {title}")
        for table, name, found in plugins(kind):
            rows = [(config.variable_of(table, one), f"[{table}] {one.name}", one) for one in found]
            parts += [f"\n### {name}\n", _settings(rows)]
    return "\n".join(parts) + "\n"


def plugins(kind: str) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """Yield (table of the settings file, title, settings) of each plug-in that has settings."""
    for name in registry.names(kind):
        if kind == "connectors":
            spec = registry.spec(name)
            found = dict.fromkeys((*spec.settings, *spec.file_settings))
            title, table = spec.title, spec.name
        else:
            found = dict.fromkeys(registry.declared(kind, name))
            title, table = name, name if kind == "classifiers" else f"policy_{name}"
        if found:
            yield table, title, tuple(found)


def _settings(rows: Iterable[tuple[str, str, Any]]) -> str:
    lines = ["| variable | in `config.toml` | meaning | default |", "|---|---|---|---|"]
    for variable, line, one in rows:
        default = "required" if one.default is None else f"`{one.default}`" if one.default else "none"
        notes = "; secret" * one.secret + "; one person's" * getattr(one, "personal", False)
        shared = one.shared
        notes += f"; or `{config.variable_of(shared, one)}`" if shared else ""
        lines.append(f"| `{variable}` | `{line}` | {_cell(one.help)}{notes} | {default} |")
    return "\n".join(lines)


# JSON documents


def json_page() -> str:
    """Return the page of all JSON documents. Raises ValueError for a command or key without a text."""
    told = texts()
    parts = ["# JSON documents\n", told["json"]["head"]]
    found = commands()
    reading = {name for name, command in found.items() if "--json" in options(command)}
    left_out = {*told["json"]["left_out"], *of_laboratory(found)} & reading
    unknown = reading ^ {*told["examples"], *left_out}
    if unknown:
        raise ValueError(f"docs/reference/texts.toml has no example of, or no longer needs one of: {sorted(unknown)}")
    missing: set[str] = set()
    for name, documents in run_examples(told).items():
        shape: Shape = {}
        meant: dict[str, str] = {}
        for one in documents:
            describe(one, "", shape)
        if name in told["types"]:
            declare(declared_type(told["types"][name]), "[]" if "[]" in shape else "", shape, meant)
        declared = {f"{name}:{path.removeprefix('[].')}": meaning for path, meaning in meant.items()}
        parts += [
            f"\n## `bridge {name} --json`\n",
            *_keys(name, shape, told | {"keys": told["keys"] | declared}, missing),
        ]
    if missing:
        raise ValueError(f"docs/reference/texts.toml gives no meaning for: {', '.join(sorted(missing))}")
    return "\n".join(parts) + "\n"


def _keys(command: str, shape: Shape, told: Mapping[str, Any], missing: set[str]) -> Iterator[str]:
    """Yield the lines about one command's document, and add keys without a meaning to ``missing``.

    A command whose document is of another command's module shares that command's meanings.
    """
    meanings, sharing = told["keys"], told["types"].get(command, "").partition(":")[0]
    yield f"{'A list of objects.' if '' in shape and 'list' in shape[''] else 'One object.'}\n"
    yield "| key | type | meaning |"
    yield "|---|---|---|"
    for path in in_order(shape):
        if path == "" or path.endswith("[]"):
            continue
        key = path.removeprefix("[].")
        last = key.rpartition(".")[2]
        meaning = meanings.get(f"{command}:{key}") or meanings.get(f"{sharing}:{key}") or meanings.get(last)
        if meaning is None:
            missing.add(f"{command}:{key}")
        yield f"| `{key}` | {', '.join(sorted(shape[path]))} | {meaning} |"


def in_order(shape: Shape) -> list[str]:
    """Return the paths as they were seen first, each right after its parent."""
    seen = {path: number for number, path in enumerate(shape)}
    return sorted(shape, key=lambda path: [seen[path[:end]] for end in _ends(path)])


def _ends(path: str) -> list[int]:
    """Return the lengths of the paths of all parents, and of the path itself."""
    return [place for place, letter in enumerate(path) if letter in ".["] + [len(path)]


def describe(value: Any, path: str, shape: Shape) -> None:
    """Add the keys of a JSON value, with their types, to ``shape``. Keys that are names become a word in capitals."""
    if isinstance(value, dict):
        shape.setdefault(path, set()).add("object")
        for key, item in value.items():
            word = _word(path, key, item)
            if word != "-":
                describe(item, f"{path}.{word}".removeprefix("."), shape)
    elif isinstance(value, list):
        shape.setdefault(path, set()).add("list")
        for item in value:
            describe(item, f"{path}[]", shape)
    else:
        shape.setdefault(path, set()).add(NAMES_OF_JSON[type(value)])


def declared_type(name: str) -> Any:
    """Return a document's declared type, named as ``module:Class``."""
    module, _, member = name.partition(":")
    return getattr(importlib.import_module(f"bridge.documents.{module}"), member)


def declare(kind: Any, path: str, shape: Shape, meant: dict[str, str] | None = None) -> None:
    """Add the types that a declaration allows to a path and the paths below it, of which examples show some.

    Meanings that stand in the declaration are added to ``meant``, by path.
    """
    arguments = get_args(kind)
    if get_origin(kind) in (Annotated, NotRequired):
        _note(told_of(kind), path, meant)
        declare(arguments[0], path, shape, meant)
    elif isinstance(kind, UnionType) or get_origin(kind) is Union:
        for one in arguments:
            declare(one, path, shape, meant)
    elif is_typeddict(kind):
        shape.setdefault(path, set()).add("object")
        for key, hint in get_type_hints(kind, include_extras=True).items():
            declare(hint, f"{path}.{_word(path, key, None)}".removeprefix("."), shape, meant)
    elif get_origin(kind) in LISTS:
        shape.setdefault(path, set()).add("list")
        declare(arguments[0], f"{path}[]", shape, meant)
    elif get_origin(kind) in MAPS:
        shape.setdefault(path, set()).add("object")
        for below in [one for one in shape if one.rpartition(".")[0] == path]:
            declare(arguments[1], below, shape, meant)
    elif kind in NAMES_OF_JSON:
        shape.setdefault(path, set()).add(NAMES_OF_JSON[kind])


def _note(meaning: str | None, path: str, meant: dict[str, str] | None) -> None:
    if meaning and meant is not None:
        meant[path] = meaning


def _word(path: str, key: str, item: Any) -> str:
    """Return a key as the page names it: itself, a word in capitals, or ``-`` where it is not described."""
    words, last = texts()["maps"], path.rpartition(".")[2]
    if last in words["by_parent"]:
        return str(words["by_parent"][last])
    if isinstance(item, dict) and key in METRICS:
        return "METRIC"
    return next((word for word, members in words["by_name"].items() if key in members), key)


def run_examples(told: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Run every example on a person with the fixtures' files, and return the documents of each command."""
    found: dict[str, list[Any]] = {}
    with installation() as folder:
        for line in told["examples_first"]["commands"]:
            run(shlex.split(line))
        for name, lines in told["examples"].items():
            for line in lines:
                code, printed = run([*shlex.split(line.format(folder=folder)), "--json"])
                if code not in (0, 1):
                    raise ValueError(f"bridge {line} ended with {code}")
                found.setdefault(name, []).append(json.loads(printed))
    return found


@contextmanager
def installation() -> Iterator[Path]:
    """Give an empty installation, at the fixtures' moment, in a folder that holds the fixtures' files."""
    before, place = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for one in FILES:
            shutil.copytree(ROOT / "fixtures" / one, folder / "downloads" / one)
        for variable in [one for one in os.environ if one.startswith("BRIDGE_")]:
            del os.environ[variable]
        os.environ.update(BRIDGE_HOME=str(folder / "home"), BRIDGE_NOW=NOW)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(place)
            os.environ.clear()
            os.environ.update(before)


def run(arguments: list[str]) -> tuple[int, str]:
    """Run a command here, and return its exit code and what it printed."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        try:
            code = app(arguments, standalone_mode=False)
        except typer.Exit as left:
            code = left.exit_code
    return int(code or 0), out.getvalue()


def conformance_page() -> str:
    """Return the page of the laws that each source keeps."""
    sys.path.insert(0, str(ROOT))
    conformance = importlib.import_module("tests.contract.conformance")
    return str(conformance.page(texts()["conformance"]))


PAGES = {"commands.md": commands_page, "settings.md": settings_page, "json.md": json_page}


def main(arguments: list[str]) -> int:
    """Write the pages; with ``--check``, compare instead and return 1 where one is stale."""
    stale = []
    pages = {REFERENCE / name: made for name, made in PAGES.items()} | {CONFORMANCE: conformance_page}
    for path, made in pages.items():
        name, text = path.name, HEAD + made()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
            print(f"written: {name}")
    if stale and "--check" in arguments:
        print(f"stale: {', '.join(stale)}; run: make docs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
