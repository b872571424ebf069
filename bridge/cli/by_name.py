"""Hold the commands by name, each built only when it is run, because building all commands takes long."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command_name, get_group, solve_typer_info_help
from typer.models import CommandInfo, TyperInfo

from bridge.entry_points import added

ENTRY_POINTS = "rhythm_bridge.commands"  # of packages that add commands, as the laboratory does

Registered = dict[str, CommandInfo | TyperInfo]


class Commands(Mapping[str, Any]):
    """The commands by name, each built when it is first looked up.

    ``own`` holds the product's commands whose module is imported, and ``modules`` maps a module to its commands.
    Commands of other packages are searched for only when needed.
    """

    def __init__(self, own: typer.Typer, modules: Mapping[str, Sequence[str]]) -> None:
        self._own = own
        self._modules = {name: module for module, names in modules.items() for name in names}
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            if name in self._modules:
                import_module(self._modules[name])
            info = _by_name(self._own)[name] if name in self._modules else self._all[name]
            self._built[name] = _build(name, info)
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def helps(self) -> dict[str, str]:
        """Return name -> help text for every command, without building any command."""
        return {name: _help(info) for name, info in self._all.items()}

    @cached_property
    def _all(self) -> Registered:
        for module in self._modules.values():
            import_module(module)
        more = typer.Typer()
        for register in added(ENTRY_POINTS).values():
            resolve_name(register)(more)
        both = [*_by_name(self._own).items(), *_by_name(more).items()]
        return dict(sorted(both, key=lambda item: isinstance(item[1], TyperInfo)))  # groups come last


class ByName(TyperGroup):
    """A command group with the commands in ``found``, each built when it is looked up."""

    found: Commands
    groups: Mapping[str, Sequence[str]]  # title of the help -> names; other commands stand under the last title

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = self.found

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _read_without_pydantic(self, ctx)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _read_without_pydantic(command, ctx)
        return name, command, rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - the base's shape
        """Write the name and the first sentence of help of every command, by groups, without building any command."""
        helps = self.found.helps()
        grouped = [name for names in self.groups.values() for name in names]
        more = {"More": [name for name in helps if name not in grouped]}
        for title, names in {**self.groups, **more}.items():
            rows = [(name, _first_sentence(helps[name])) for name in names if name in helps]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.])\s", " ".join(text.split("\n\n")[0].split()))[0]


def _by_name(registered: typer.Typer) -> Registered:
    commands = {info.name or get_command_name(_name(info)): info for info in registered.registered_commands}
    return {**commands, **{str(info.name): info for info in registered.registered_groups}}


def _name(info: CommandInfo) -> str:
    return str(getattr(info.callback, "__name__", ""))


def _help(info: CommandInfo | TyperInfo) -> str:
    if isinstance(info, TyperInfo):
        return solve_typer_info_help(info)
    return info.help or inspect.getdoc(info.callback) or ""


def _build(name: str, info: CommandInfo | TyperInfo) -> Any:
    single = typer.Typer(rich_markup_mode=None)
    if isinstance(info, TyperInfo):
        single.registered_groups.append(info)
    else:
        single.registered_commands.append(info)
    return get_group(single).commands[name]


class _Plain:
    """A parser of simple parameters (texts, paths, defaults), which avoids loading Pydantic."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if not param.multiple and param.nargs != -1:
            kind = param.type_descriptor.annotation
            if value is None or (type(value) is kind and not isinstance(value, str)):
                return value
            if isinstance(value, str) and value.isprintable():
                if kind is str:
                    return value
                if kind is Path and _may_be_read(value, param.type_descriptor.parameter_info):
                    return Path(value)
        param._runtime_param = None  # noqa: SLF001 - Typer makes its own reading then
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def _may_be_read(path: str, asked: Any) -> bool:
    """Return True if the path can be read and its parameter ``asked`` needs no other check."""
    more = asked.exists or asked.resolve_path or asked.writable or not (asked.file_okay and asked.dir_okay)
    return not more and (os.access(path, os.R_OK) or not os.path.lexists(path))


def _read_without_pydantic(command: Any, ctx: Any) -> None:
    for parameter in command.get_params(ctx):
        parameter._runtime_param = _Plain()  # noqa: SLF001 - Typer has no public place for it
    for subcommand in () if isinstance(command, ByName) else getattr(command, "commands", {}).values():
        _read_without_pydantic(subcommand, ctx)
