"""Partial answers as Google's servers give them. A ``fields`` mask names what is sent."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

TOKEN = re.compile(r"[^,/()]+|[,/()]")
Tree = dict[str, "Tree"]  # an empty one means all there is


@lru_cache(maxsize=64)
def tree_of(mask: str) -> Tree:
    """Parse ``a,b(c,d/e)`` into {a: {}, b: {c: {}, d: {e: {}}}}. Raises ValueError for an unbalanced mask."""
    tokens = TOKEN.findall(mask)
    tree = _listed(tokens)
    if tokens:
        raise ValueError("a mask closes what it never opened")
    return tree


def _listed(tokens: list[str]) -> Tree:
    found: Tree = {}
    while tokens:
        _path(tokens, found)
        if not tokens or tokens[0] != ",":
            break
        tokens.pop(0)
    return found


def _path(tokens: list[str], tree: Tree) -> None:
    """Read a path into ``tree``, up to its comma or closing bracket."""
    inner = tree.setdefault(tokens.pop(0), {})
    if tokens[:1] == ["/"]:
        tokens.pop(0)
        _path(tokens, inner)
    elif tokens[:1] == ["("]:
        tokens.pop(0)
        inner.update(_listed(tokens))
        if tokens[:1] != [")"]:
            raise ValueError("a mask does not close what it opened")
        tokens.pop(0)


def masked(value: Any, tree: Tree) -> Any:
    """The part of ``value`` that a mask names."""
    if not tree:
        return value
    if isinstance(value, list):
        return [masked(one, tree) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: masked(inner, tree[name]) for name, inner in value.items() if name in tree}
