"""Measure the rows of ``lab.benchmarks.targets``, part by part (``python -m lab.benchmarks.measures PART HOME``).

The rows are printed as JSON. ``HOME`` is an installation that ``lab.benchmarks.wearer`` made.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from lab.benchmarks.figures import MS, RUNS, Row, cpu, once, peak, run_once, together
from lab.benchmarks.repeated import Executed, Repeated, executing
from lab.benchmarks.starts import starts

MB = 1e6


def observation(home: Path) -> Iterator[Row]:
    """Measure an observation of the user, beside a plain read of the same days' rows by the database driver."""
    from bridge.advice.recommend import build_observation
    from lab.benchmarks import wearer
    from lab.benchmarks.tenyears import NOW

    with wearer.opened(home) as bridge, closing(sqlite3.connect(home / "bridge.db")) as db:
        user = bridge.store.people.user(wearer.USER)
        taken = cpu(lambda: build_observation(bridge, user, at=NOW))
        queries = [f"select * from {table} where day >= '2026-09-01'" for table in ("samples", "packed_samples")]  # noqa: S608
        raw = cpu(lambda: [db.execute(query).fetchall() for query in queries])
    yield Row(
        work="one observation, a year of a Garmin wearer",
        figure=MS * taken,
        unit="ms",
        peer="rows of 80 days, raw sqlite3",
        limit=MS * raw,
        target=60,
        memory=peak(),
    )


WATCHED = ("whoop", "google_calendar", "google_tasks")


def syncs(_home: Path) -> Iterator[Row]:
    """Measure a round of syncs that bring nothing new, beside only its requests and database statements.

    The statements are of a person with less data. Only this thread's CPU time counts, because vendors answer in others.
    """
    from lab.benchmarks.tenyears import Life

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        month = Life(stack, f"sqlite:///{folder / 'month.db'}", 30, WATCHED)
        life = Life(stack, f"sqlite:///{folder / 'year.db'}", 365, WATCHED)
        month.settle(None)
        life.settle(month)
        asked: list[Asked] = []
        executed: list[Executed] = []
        with _listening(asked), executing(month.store.database.engine, executed):  # which stays slower
            month.sync()
        with closing(Repeated(f"sqlite:///{folder / 'month.db'}", executed)) as repeated:
            runs = (life.sync, lambda: _asked(asked), repeated.again, lambda: _bare(asked, folder))
            taken, by_requests, stored, bare = together(*runs, times=3 * RUNS, clock=time.thread_time)
    yield Row(
        work=f"a sync with nothing new, three sources, {len(asked)} requests",
        figure=MS * taken,
        unit="ms",
        peer="its requests and statements alone",
        limit=MS * (by_requests + stored),
        target=9,
        memory=peak(),
    )
    yield Row(work="  the same requests by `requests`", figure=MS * by_requests, unit="ms")
    yield Row(work=f"  the same {len(executed)} statements by SQLAlchemy, as text", figure=MS * stored, unit="ms")
    yield Row(work="  the same requests and writes, standard library", figure=MS * bare, unit="ms")


Asked = tuple[str, dict[str, str]]  # address and headers


def _asked(requested: Sequence[Asked]) -> None:
    import requests

    with ExitStack() as stack:
        sessions: dict[str, requests.Session] = {}
        for address, headers in requested:
            host = urlsplit(address).netloc
            if host not in sessions:
                sessions[host] = stack.enter_context(requests.Session())
                sessions[host].trust_env = False  # else it looks through the environment at each request
            answer = sessions[host].get(address, headers=headers, timeout=30)
            answer.raise_for_status()
            answer.json()


def _listening(asked: list[Asked]) -> Any:
    """Return a context manager that adds the address and headers of each request to ``asked``."""
    from unittest import mock

    from requests.adapters import HTTPAdapter

    real = HTTPAdapter.send

    def send(adapter: HTTPAdapter, request: Any, *rest: Any, **options: Any) -> Any:
        asked.append((request.url, dict(request.headers)))
        return real(adapter, request, *rest, **options)

    return mock.patch.object(HTTPAdapter, "send", send)


def _bare(requested: Sequence[Asked], folder: Path) -> None:
    lines: dict[str, HTTPConnection] = {}
    for address, headers in requested:
        parts = urlsplit(address)
        line = lines.setdefault(parts.netloc, HTTPConnection(parts.netloc))
        line.request("GET", f"{parts.path}?{parts.query}", headers=headers)
        line.getresponse().read()
    for line in lines.values():
        line.close()
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as db:
        db.execute("create table if not exists runs (at, body)")
        for _ in WATCHED:
            db.execute("insert into runs values (1, 'ok')")


PAGES = {"/": 10.0, "/connections": 10.0, "/belief": 10.0, "/trends?weeks=52": None, "/review": None}
VIEWS = 40


def pages(home: Path) -> Iterator[Row]:
    """Measure views of the web page with a year of data, beside a minimal page of FastAPI."""
    import requests
    from fastapi import FastAPI

    from bridge.web.server import create
    from lab.benchmarks import wearer
    from lab.benchmarks.web import cost, listening
    from lab.web_server import running

    app = FastAPI()
    app.get("/")(lambda: {"hello": "world"})
    with running(app) as port:
        hello = cost(f"http://127.0.0.1:{port}", "/", VIEWS)
    with wearer.opened(home) as bridge:
        with running(create(bridge)) as port:
            first = cost(f"http://127.0.0.1:{port}", "/trends?weeks=52", 0).first
            shutil.rmtree(bridge.settings.cache / "trends")
            cold = cost(f"http://127.0.0.1:{port}", "/trends?weeks=52", 0).first
        with listening(bridge) as url:
            requests.get(f"{url}/", timeout=300).raise_for_status()
            seen = {path: cost(url, path, VIEWS) for path in PAGES}
    row = partial(Row, unit="ms", peer="FastAPI's hello")
    yield row(work="page: trends, cold, a year", figure=cold, target=600, limit=hello.median, memory=peak())
    yield row(work="page: trends, cold, first page of the process", figure=first, limit=hello.median)
    for path, target in PAGES.items():
        name = f"page: {path.partition('?')[0]}, warm"
        yield row(work=name, figure=seen[path].median, limit=hello.median, target=target)
        twice = None if target is None else 2 * target
        yield row(work=f"{name}, p95", figure=seen[path].p95, limit=hello.p95, target=twice)


def planner(_home: Path) -> Iterator[Row]:
    """Measure a decision with 89 answers by a policy with empty caches, and with all but the last answer cached."""
    import random

    from bridge import registry
    from lab.benchmarks.subjects import POLICY, forget, observed

    policy, seen = registry.policy(POLICY), observed(89)
    earlier = replace(seen, history=seen.history[:-1])

    def decide(before: Callable[[], object]) -> float:
        before()
        return once(lambda: policy.decide(seen, random.Random(0)))

    def remember() -> None:
        forget()
        policy.decide(earlier, random.Random(0))

    cold = median(decide(forget) for _ in range(3 * RUNS))
    warm = median(decide(remember) for _ in range(3 * RUNS))
    yield Row(work="planner with 89 answers, cold", figure=MS * cold, unit="ms", target=20, memory=peak())
    yield Row(work="planner with 89 answers, all but one heard", figure=MS * warm, unit="ms")


RECORDS = 5000


def landing(_home: Path) -> Iterator[Row]:
    """Measure the storing of records that are new, unchanged, changed or normalised again, beside a bare insert.

    Changed records are compared with the same reads and writes by the database driver.
    """
    from bridge.store import Store
    from lab.benchmarks.subjects import NOW, bare_twice, landed, made, normalise

    names = ("bare", "floor", "new", "unchanged", "changed", "rebuilt")
    taken: dict[str, list[float]] = {name: [] for name in names}
    first, again = made(RECORDS), made(RECORDS, shift=1)
    for number in range(5):
        with tempfile.TemporaryDirectory() as folder, closing(Store(f"sqlite:///{folder}/bridge.db")) as store:
            both = bare_twice(Path(folder) / f"{number}.db", first, again)
            for name, part in zip(("bare", "floor"), both, strict=True):
                taken[name].append(part)
            user = store.people.add_user("benchmark", "UTC", now=NOW)
            connection = store.connections.connect(user.id, "benchmark", "benchmark", now=NOW)
            for hours, (name, some) in enumerate((("new", first), ("unchanged", first), ("changed", again)), start=1):
                taken[name].append(landed(store, connection, some, hours=hours))
            taken["rebuilt"].append(once(partial(store.ingest.rebuild, connection, normalise, version=1)))
    limit, floor = median(taken.pop("bare")), median(taken.pop("floor"))
    for name, seconds in taken.items():
        yield Row(
            work=f"landing {name} rows, times a bare insert",
            figure=median(seconds) / limit,
            unit="x",
            peer="bare sqlite3, the same changes" if name == "changed" else "bare sqlite3",
            limit=floor / limit if name == "changed" else 1.0,
            target={"changed": 4.0}.get(name),
            memory=peak(),
        )


FIT_DAYS = 20


def again(_home: Path) -> Iterator[Row]:
    """Measure the import of FIT files beside Garmin's decoder, and of the same files again beside the first time."""
    from bridge import config
    from bridge.ingest import runs
    from bridge.installation import Bridge
    from bridge.store import Store
    from lab.benchmarks.subjects import IMPORTED, decode_fit, write_fit

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "files"
        folder.mkdir()
        write_fit(folder, FIT_DAYS)
        first, later, decoder = [], [], []
        for number in range(5):
            database = f"sqlite:///{name}/{number}.db"
            with closing(Store(database)) as store:
                settings = replace(config.load(), folder=Path(name), database=database)
                bridge = Bridge(settings=settings, store=store)
                user = store.people.add_user("bench", "Europe/Berlin", now=IMPORTED)
                read = partial(runs.import_path, bridge, user, folder, at=IMPORTED)
                first.append(once(read))
                later.append(once(read))
                decoder.append(once(partial(decode_fit, folder)))
    yield Row(
        work=f"importing {FIT_DAYS} FIT files, times Garmin's decoder",
        figure=median(first) / median(decoder),
        unit="x",
        peer="Garmin's decoder alone",
        limit=1.0,
        memory=peak(),
    )
    yield Row(
        work=f"importing {FIT_DAYS} FIT files again, share of the first time",
        figure=100 * median(later) / median(first),
        unit="%",
        peer="the first time",
        limit=100.0,
        target=10,
    )


def size(_home: Path) -> Iterator[Row]:
    """Measure the size of the store with a year of data, beside the compressed payloads alone."""
    from lab.benchmarks import wearer

    with tempfile.TemporaryDirectory() as folder:
        wearer.make(Path(folder), answered=False)
        with wearer.opened(Path(folder)) as bridge:
            bridge.store.database.scrub()
        with closing(sqlite3.connect(Path(folder) / "bridge.db")) as db:
            raw = sum(
                len(zlib.decompress(body)) > 0 and len(body) for (body,) in db.execute("select payload from arrivals")
            )
        stored = (Path(folder) / "bridge.db").stat().st_size
    yield Row(
        work="store of a Garmin wearer's year, raw kept",
        figure=stored / MB,
        unit="MB",
        peer="raw payloads, compressed",
        limit=raw / MB,
        target=4.5,
    )


APPLE_MEGABYTES = 200.0
ROWS = """
import sys
from bridge.cli import app
from bridge.ingest import runs
from bridge.store import Store
from connectors.apple.export.columns import columns
with open(sys.argv[1], "rb") as file:
    rest = b""
    while piece := file.read(1 << 18):
        piece = rest + piece
        cut = piece.rfind(b"<Record ")
        columns(piece[:cut])
        rest = piece[cut:]
"""


def apple(_home: Path) -> Iterator[Row]:
    """Measure the import of an Apple export, and then of the export with one more day, beside a bare XML parser."""
    from lab.benchmarks.apple.__main__ import BARE
    from lab.benchmarks.apple.generate import generate, of_size
    from lab.people.apple import Plan

    with tempfile.TemporaryDirectory() as name:
        plan = of_size(APPLE_MEGABYTES, Plan(seed=1))
        before, after = Path(name) / "before.xml", Path(name) / "export.xml"
        generate(plan, after)
        generate(_without_last_day(plan), Path(name) / "then.xml")
        with (Path(name) / "then.xml").open("rb") as then, before.open("wb") as earlier:
            earlier.writelines(row.replace(b": 0x28", b": 0x1f") for row in then)  # addresses differ between exports
        parser, least, whole, later = list[float](), list[float](), list[float](), list[float]()
        memory = 0.0
        for number in range(3):
            parser.append(run_once((sys.executable, "-c", BARE, str(after)))[0])
            least.append(run_once((sys.executable, "-c", ROWS, str(after)))[0])
            home = Path(name) / str(number)
            os.environ |= {"BRIDGE_HOME": str(home), "BRIDGE_DATABASE": f"sqlite:///{home}/bridge.db"}
            run_once((sys.executable, "-m", "bridge", "user", "add", "bench", "--zone", "Europe/Berlin"))
            for file, found in ((before, whole), (after, later)):
                shutil.copyfile(file, Path(name) / "export-now.xml")
                command = (sys.executable, "-m", "bridge", "import", f"{name}/export-now.xml", "-u", "bench", "--json")
                seconds, used = run_once(command)
                found.append(seconds)
                memory = max(memory, used)
    speed = 100 * median(parser) / median(whole)
    name = f"Apple export, {APPLE_MEGABYTES:.0f} MB, speed of expat's (95 MB)"
    row = partial(Row, unit="%", peer="expat without handlers", limit=100.0)
    yield row(work=name, figure=speed, target=50, at_least=True, memory=memory)
    floor = 100 * median(parser) / median(least)
    yield row(work="  its rows found by a regular expression, no more", figure=floor)
    share = 100 * median(later) / median(whole)
    yield Row(work="Apple export with a new day, share of a whole one", figure=share, unit="%", target=45)


def _without_last_day(plan: Any) -> Any:
    return replace(plan, days=plan.days - 1, last=plan.last - timedelta(days=1))


PARTS: dict[str, Callable[[Path], Iterator[Row]]] = {
    "starts": starts,
    "observation": observation,
    "syncs": syncs,
    "pages": pages,
    "planner": planner,
    "landing": landing,
    "again": again,
    "size": size,
    "apple": apple,
}

if __name__ == "__main__":
    import bridge.cli  # noqa: F401 - it raises the collector's threshold

    print(json.dumps([asdict(row) for row in PARTS[sys.argv[1]](Path(sys.argv[2]))]))
