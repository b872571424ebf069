"""Measure the import of a large Apple Health export, beside healthkit-to-sqlite and a bare XML parser.

Run ``python -m lab.benchmarks.apple [--megabytes 200 1000] [--runs 1] [--alone] [--json]``. Each measured program is a
process of its own. CPU time (user and system) should be compared, because wall time depends on other work of the
machine. MB are 10**6 bytes of XML, also for a zip. Memory is in 2**20 bytes. PostgreSQL is included if it is installed.
healthkit-to-sqlite is installed into ``.venv-healthkit`` on first use, and left out without a package index.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.benchmarks.apple.generate import generate, of_size
from lab.people.apple import Plan
from lab.postgres_cluster import cluster, programs

ROOT = Path(__file__).parents[3]
PEER = "healthkit-to-sqlite"
PEER_VERSION = "1.0.1"
PARSER = "xml without handlers"
BARE = "import sys, xml.parsers.expat as x\nwith open(sys.argv[1], 'rb') as f: x.ParserCreate().ParseFile(f)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The elapsed and CPU seconds of a command, and the peak memory of the largest of its processes."""

    name: str
    megabytes: float
    wall_s: float
    cpu_s: float
    peak_mib: float


def measured(name: str, size: int, command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Row:
    """Run a command and measure it. Raises SystemExit with the end of its output if it fails.

    ``size`` is that of the imported file in bytes.
    """
    with tempfile.TemporaryFile() as words:
        begun = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - our own commands
            list(map(str, command)), env={**os.environ, **(environment or {})}, stdout=words, stderr=words, cwd=ROOT
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            words.seek(0)
            raise SystemExit(f"{name} failed: {words.read()[-2000:].decode(errors='replace')}")
    cpu = used.ru_utime + used.ru_stime
    return Row(name=name, megabytes=size / 1e6, wall_s=wall, cpu_s=cpu, peak_mib=used.ru_maxrss / 1024)


def ours(name: str, size: int, file: Path, home: Path, database: str) -> Iterator[Row]:
    """Measure an import into a new installation at ``home``, and then of the same file again."""
    environment = {"BRIDGE_HOME": str(home), "BRIDGE_DATABASE": database, "PYTHONPATH": str(ROOT)}
    bridge = (sys.executable, "-m", "bridge")
    measured("user", 0, [*bridge, "user", "add", "bench", "--zone", "Europe/Berlin"], environment)
    command = [*bridge, "import", str(file), "--user", "bench", "--json"]
    yield measured(f"bridge import, {name}", size, command, environment)
    yield measured(f"the same again, {name}", size, command, environment)


def peer() -> Path | None:
    """Return the path of healthkit-to-sqlite, installed if needed, or None if it cannot be installed."""
    folder = ROOT / ".venv-healthkit"
    program = folder / "bin" / PEER
    if not program.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)  # noqa: S603
            install = [str(folder / "bin/pip"), "install", "--quiet", f"{PEER}=={PEER_VERSION}"]
            subprocess.run(install, check=True, stderr=subprocess.DEVNULL)  # noqa: S603
        except subprocess.CalledProcessError:
            print(f"{PEER} cannot be installed here and is left out", file=sys.stderr)
            return None
    return program


def side_by_side(megabytes: float, seed: int, folder: Path, server: str | None, program: Path | None) -> Iterator[Row]:
    """Make an export of ``megabytes`` in ``folder``, and measure each program on it once.

    ``server`` is the address of a PostgreSQL server, and ``program`` the path of healthkit-to-sqlite. None leaves them
    out.
    """
    plan = of_size(megabytes, Plan(seed=seed))
    xml, packed = folder / "export.xml", folder / "export.zip"
    size = generate(plan, xml).size
    generate(plan, packed)
    yield measured(PARSER, size, [sys.executable, "-c", BARE, xml])
    for file in (packed, xml):
        home = folder / uuid.uuid4().hex
        yield from ours(f"{file.suffix[1:]} into SQLite", size, file, home, f"sqlite:///{home}/bridge.db")
    if server is not None:
        url = _database(server)
        yield from ours("zip into PostgreSQL", size, packed, folder / uuid.uuid4().hex, url)
    if program is not None:
        yield measured(PEER, size, [program, "-s", "--xml", xml, folder / f"{uuid.uuid4().hex}.db"])


def _database(server: str) -> str:
    import psycopg

    name = f"bench_{uuid.uuid4().hex}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return f"{server}/{name}"


def best(rows: Sequence[Row]) -> list[Row]:
    """Return for each measured name the row with the least CPU time."""
    found: dict[str, Row] = {}
    for row in rows:
        if row.name not in found or row.cpu_s < found[row.name].cpu_s:
            found[row.name] = row
    return list(found.values())


def compared(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Return each row with its MB per second of wall time, and its speed relative to the parser's and the peer's."""
    cpu = {row.name: row.cpu_s for row in rows}
    return [
        {
            **asdict(row),
            "mb_per_s": row.megabytes / row.wall_s,
            "of_parser_speed": cpu[PARSER] / row.cpu_s,
            "peer_cpu_ratio": cpu[PEER] / row.cpu_s if PEER in cpu else None,
        }
        for row in rows
    ]


def show(rows: Sequence[Mapping[str, object]]) -> None:
    print(f"{'':38}{'MB':>7}{'wall s':>9}{'cpu s':>8}{'MB/s':>8}{'peak MiB':>10}{'of parser':>11}{'peer /':>9}")
    for row in rows:
        ratio = row["peer_cpu_ratio"]
        print(
            f"{row['name']:38}{row['megabytes']:7.0f}{row['wall_s']:9.2f}{row['cpu_s']:8.2f}{row['mb_per_s']:8.1f}"
            f"{row['peak_mib']:10.0f}{row['of_parser_speed']:10.0%} " + (f"{ratio:8.1f}" if ratio else "       -")
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[200.0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument(
        "--alone", action="store_true", help="without healthkit-to-sqlite, which waits long for the disk"
    )
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    found = []
    with ExitStack() as stack:
        server = stack.enter_context(cluster()) if programs() else None
        program = None if chosen.alone else peer()
        for megabytes in chosen.megabytes:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            rows = [
                row for _ in range(chosen.runs) for row in side_by_side(megabytes, chosen.seed, folder, server, program)
            ]
            found.append(compared(best(rows)))
            if not chosen.json:
                show(found[-1])
    if chosen.json:
        print(json.dumps([row for rows in found for row in rows], indent=1))


if __name__ == "__main__":
    main()
