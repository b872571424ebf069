"""Change the product in random places, one at a time, and run the tests nearest to each (python -m lab.mutants --help).

A mutation that no test notices survives, and is printed. Tests are chosen by the imports that lead to the module.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from signal import SIGKILL, SIGXCPU
from time import monotonic
from typing import Any

ROOT = Path(__file__).parents[1]
PRODUCT = ("bridge", "connectors", "classifiers", "policies", "rhythm_env")
UNTOUCHED = ("bridge/store/migrations/", "bridge/locale/")
TEST_FILES = 8  # that are run for a mutation, the nearest first
CPU_SECONDS = 46  # of a mutation's tests: a hundred take at most 40 minutes of two cores
WAIT_SECONDS = 900  # for them on a busy machine, which takes longer for the same work
WORD = re.compile(r"[A-Za-z_]{4,}")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
SWAPPED: Mapping[type[Any], type[Any]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
}


@dataclass(frozen=True)
class Mutation:
    """A change of the expression ``before`` to ``after``. ``text`` is the whole changed file."""

    path: str
    line: int
    before: str
    after: str
    text: str


def places_in(text: str) -> list[ast.expr]:
    """Return the expressions of a module that can be mutated, which are operators, conditions and numbers.

    A condition comes a second time to be negated. Annotations and code for type checkers are left out.

    >>> [ast.unparse(place) for place in places_in("if a < 2:\\n    pass\\n")]
    ['not a < 2', 'a < 2', '2']
    """
    return [node for node in _nodes(ast.parse(text)) if isinstance(node, ast.expr) and _is_mutable(node)]


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.AST):
                if field == "test" and isinstance(child, ast.expr):
                    yield ast.copy_location(ast.UnaryOp(ast.Not(), child), child)
                yield child
                yield from _nodes(child)


def _is_mutable(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare():
            return type(node.ops[0]) in SWAPPED
        case ast.BoolOp() | ast.BinOp():
            return type(node.op) in SWAPPED
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def mutated(path: str, text: str, number: int) -> Mutation:
    """Return the mutation of expression ``number`` of a module, with another operator, or a number greater by 1."""
    node: Any = places_in(text)[number]
    lines = text.encode().splitlines(keepends=True)
    start, end = (
        sum(map(len, lines[: line - 1])) + column
        for line, column in ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
    )
    whole = b"".join(lines)
    if isinstance(node, ast.Compare):
        node.ops[0] = SWAPPED[type(node.ops[0])]()
    elif isinstance(node, ast.Constant):
        node.value += 1  # type: ignore[operator]
    elif isinstance(node, ast.BoolOp | ast.BinOp):
        node.op = SWAPPED[type(node.op)]()
    elif (node.operand.lineno, node.operand.col_offset) != (node.lineno, node.col_offset):
        node = node.operand
    after = ast.unparse(node)
    told = whole[:start] + f"({after})".encode() + whole[end:]
    return Mutation(path, node.lineno, whole[start:end].decode(), after, told.decode())


def drawn(root: Path, seed: str, count: int) -> list[Mutation]:
    """Return ``count`` mutations of the product, drawn evenly over all expressions. ``seed`` decides the draw."""
    files = sorted(path for part in PRODUCT for path in (root / part).rglob("*.py"))
    texts = {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in files}
    names = [name for name in texts if not name.startswith(UNTOUCHED)]
    every = [(name, number) for name in names for number in range(len(places_in(texts[name])))]
    return [mutated(name, texts[name], number) for name, number in random.Random(seed).sample(every, count)]


Near = tuple[bool, int, str]  # of a test file: not of the module's source or part, steps to it by imports, the path


def nearest(root: Path) -> Mapping[str, Sequence[Near]]:
    """Return by module (name -> test files) the tests that import it, directly or not, nearest first.

    Tests in the folder of the module's source or part come before all others.
    """
    paths = {_module(path, root): path for part in (*PRODUCT, "lab", "tests") for path in (root / part).rglob("*.py")}
    imports = {name: _imports(path, paths) for name, path in paths.items()}
    found: dict[str, list[Near]] = {}
    for name, path in paths.items():
        if path.name.startswith("test_") and "faults" not in path.parts:
            for module, steps in _steps(name, imports).items():
                near = bool({*path.parts, path.stem.removeprefix("test_")} & {*module.split(".")[1:]})
                found.setdefault(module, []).append((not near, steps, str(path.relative_to(root))))
    return {module: sorted(files) for module, files in found.items()}


def chosen_tests(mutation: Mutation, near: Sequence[Near], root: Path) -> list[str]:
    """Return the nearest TEST_FILES test files, of equally near ones those with more words of the mutated line."""
    words = {*WORD.findall((root / mutation.path).read_text(encoding="utf-8").splitlines()[mutation.line - 1])}

    def shared(file: str) -> int:
        return len(words & {*WORD.findall((root / file).read_text(encoding="utf-8"))})

    ordered = sorted(near, key=lambda one: (one[0], -shared(one[2]), one[1]))
    return [file for _, _, file in ordered[:TEST_FILES]]


def _module(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path, known: Mapping[str, Path]) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {node.value.partition(":")[0], f"connectors.{node.value}", f"policies.{node.value}"}
    return found & known.keys()


def _steps(start: str, imports: Mapping[str, set[str]]) -> dict[str, int]:
    steps, queue = {start: 0}, deque([start])
    while queue:
        module = queue.popleft()
        for other in imports[module] - steps.keys():
            steps[other] = steps[module] + 1
            queue.append(other)
    return steps


def outcome(mutation: Mutation, tests: Sequence[str], folder: Path) -> str:
    """Return "killed", "slow" or "survived". A test that also fails without the mutation does not count.

    All generated examples are used only if a quarter of them does not notice the mutation.
    """
    place = folder / mutation.path
    clean = place.read_text(encoding="utf-8")
    place.write_text(mutation.text, encoding="utf-8")
    try:
        failed = _failed(folder, tests, "quarter")
        if failed == []:
            failed = _failed(folder, tests, "all") or []
    finally:
        place.write_text(clean, encoding="utf-8")
    if failed is None:
        return "slow"
    return "killed" if failed and _failed(folder, failed, "all") == [] else "survived"


def _failed(folder: Path, tests: Sequence[str], examples: str) -> list[str] | None:
    """Return the first test that fails, if any, or None beyond ``CPU_SECONDS`` or ``WAIT_SECONDS``."""
    pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:randomly", "-m", "not slow and not web", *tests]
    command = ["sh", "-c", f'ulimit -t {CPU_SECONDS}; exec "$@"', "sh", *pytest]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "EXAMPLES": examples}
    try:
        done = subprocess.run(  # noqa: S603
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=WAIT_SECONDS
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode in (-SIGXCPU, -SIGKILL):
        return None
    return [] if done.returncode in (0, 5) else FAILED.findall(done.stdout)[:1]


def _copy(folder: Path) -> Path:
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout  # noqa: S607
    subprocess.run(["tar", "x", "-C", str(folder)], input=archive, check=True)  # noqa: S603, S607
    return folder


def main(arguments: Sequence[str]) -> int:
    """Print each mutation with its outcome, and at the end the number killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", help="Draws the mutations. Default: the commit.")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args(arguments)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S607
    chosen, near = drawn(ROOT, asked.seed or head.stdout.strip(), asked.count), nearest(ROOT)
    begun, counted = monotonic(), {"killed": 0, "slow": 0, "survived": 0}
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(asked.workers) as pool:
        folders = {n: _copy(Path(tempfile.mkdtemp(dir=scratch))) for n in range(asked.workers)}
        parts = [chosen[n :: asked.workers] for n in range(asked.workers)]
        for found in pool.map(partial(_worked, near=near, folders=folders), range(asked.workers), parts):
            for told in found:
                counted[told] += 1
    print(f"{counted['killed']} of {asked.count} killed, {counted['slow']} slow, in {monotonic() - begun:.0f} s")
    return 0


def _worked(
    worker: int, part: Sequence[Mutation], *, near: Mapping[str, Sequence[Near]], folders: Mapping[int, Path]
) -> list[str]:
    found = []
    for one in part:
        tests = chosen_tests(one, near.get(_module(ROOT / one.path, ROOT), ()), ROOT)
        found.append(outcome(one, tests, folders[worker]))
        print(f"{found[-1]}: {one.path}:{one.line}: {one.before} -> {one.after}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
