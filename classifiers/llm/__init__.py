"""Ask a language model about titles of which the linear classifier is unsure. This classifier is off by default.

**Titles leave the machine** for the configured address, but nothing else of an event does.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bridge.domain.errors import SetupError
from bridge.domain.ports import EventClassifier, Invitation, Setting
from bridge.domain.types import Label
from classifiers import linear
from classifiers.llm.prompt import ACTION_WORDS, Said, Sorted, clean, digest, read, request
from rhythm_env.chat import Fault, Service, Unusable, address_in, key_in, number_in
from rhythm_env.interface import ActionType

log = logging.getLogger(__name__)

REQUEST_TITLES = 40  # titles per request
PATIENCE = 5.0  # longest wait in seconds before a second request, after which the linear label stays
LONGEST_NAME = 60  # characters of a model's name in a reason
SETTINGS = (
    Setting(
        name="address",
        help="the address of a service that speaks OpenAI's chat completions, which titles of events are sent to"
        " (e.g. http://localhost:11434/v1)",
    ),
    Setting(name="model", help="the name of the model to ask, as the service at BRIDGE_LLM_ADDRESS knows it"),
    Setting(
        name="key", help="the API key of the service at BRIDGE_LLM_ADDRESS, if it asks for one", default="", secret=True
    ),
    Setting(
        name="sure", help="the linear classifier's confidence (0 to 1) from which the model is not asked", default="0.6"
    ),
    Setting(name="requests_per_day", help="the most requests to the model in a day (UTC)", default="200"),
    Setting(name="timeout_s", help="the seconds that an answer of the model may take", default="20"),
)
FILE = "llm.db"
CACHE_PATIENCE = 5.0  # seconds to wait for another process that writes
CACHE_SCHEMA = (
    "create table if not exists labels (digest blob primary key, action text not null, confidence real not null)",
    "create table if not exists requests (day text primary key, made integer not null)",  # day: ISO date, UTC
    "create table if not exists rest (one integer primary key check (one = 1), until real not null)",  # seconds, Unix
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Options for requests to the language model called ``model``.

    Only labels with a confidence below ``sure`` are asked about, in at most ``most`` requests a day (UTC).
    """

    model: str
    sure: float
    most: int


class Llm:
    """A classifier that asks a language model about titles of which the linear classifier is unsure.

    It stores no titles. Its labels' reasons name the model and no part of an event.
    """

    name = "llm"
    version = 1

    def __init__(
        self,
        asking: Asking,
        service: Service,
        cache: AnswerCache,
        unasked: EventClassifier,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._asking = asking
        self._service = service
        self._cache = cache
        self._unasked = unasked
        self._now = now

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        """Return a label for each event, in the order of ``events``.

        Events of which the linear classifier is unsure get the model's label if it answers, and all others the linear
        label.
        """
        labels = self._unasked.classify(events)
        titles = [self._doubted(event, label) for event, label in zip(events, labels, strict=True)]
        keys = [digest(title, self._asking.model) for title in titles]
        said = self._said({key: title for key, title in zip(keys, titles, strict=True) if title})
        return [self._label(said[key]) if key in said else label for key, label in zip(keys, labels, strict=True)]

    def _doubted(self, event: Invitation, label: Label) -> str:
        doubted = not event.private and label.action is not None and label.confidence < self._asking.sure
        return clean(event.title) if doubted else ""

    def _label(self, said: Said) -> Label:
        why = f"asked {self._asking.model[:LONGEST_NAME]}"
        return Label(action=said.action, confidence=said.confidence, by=f"{self.name}@{self.version}", why=why)

    def _said(self, asked: Mapping[bytes, str]) -> dict[bytes, Said]:
        # A failure that would repeat ends all requests, and is logged.
        found: dict[bytes, Said] = {}
        if not asked:
            return found
        try:
            found |= self._cache.find(asked)
            new = [key for key in asked if key not in found]
            for at in range(0, len(new), REQUEST_TITLES):
                self._ask({key: asked[key] for key in new[at : at + REQUEST_TITLES]}, found)
        except Fault as fault:
            _warn(str(fault), len(asked) - len(found))
        return found

    def _ask(self, batch: Mapping[bytes, str], found: dict[bytes, Said]) -> None:
        try:
            said, wrong = self._twice(list(batch.values()))
        except Fault as fault:
            if fault.wait:
                self._cache.pause(self._now(), fault.wait)
            if fault.stops:
                raise
            _warn(str(fault), len(batch))
            return
        for kind, times in wrong.items():
            _warn(kind, times)
        keys = list(batch)
        answers = {keys[i]: one for i, one in said.items()}
        found |= answers
        self._cache.put(answers)

    def _twice(self, titles: Sequence[str]) -> Sorted:
        try:
            return self._once(titles)
        except Fault as fault:
            if fault.wait is None or fault.wait > PATIENCE:
                raise
            time.sleep(fault.wait)
        return self._once(titles)

    def _once(self, titles: Sequence[str]) -> Sorted:
        self._cache.claim(self._now(), most=self._asking.most)
        return read(self._service.post(request(titles, self._asking.model)), len(titles))


def _warn(kind: str, times: int) -> None:
    log.warning("llm: %s (%d); titles without an answer keep the linear classifier's labels", kind, times)


def open_classifier(settings: Mapping[str, str], folder: Path) -> EventClassifier:
    """Return the classifier with ``settings`` (name -> text), which stores the model's answers in ``folder``.

    Raises SetupError for a setting that cannot be used. The service is not asked yet.
    """
    try:
        asking = Asking(
            model=settings["model"].strip(),
            sure=number_in(settings, "sure", 0, 1),
            most=int(number_in(settings, "requests_per_day", 0, 1_000_000)),
        )
        service = Service(address_in(settings), key_in(settings), timeout=number_in(settings, "timeout_s", 0.1, 600))
    except Unusable as error:
        raise SetupError(
            f"the classifier llm cannot be used ({error}); set BRIDGE_LLM_{error.name.upper()} to such a value, then: "
            "bridge doctor"
        ) from None
    return Llm(asking, service, AnswerCache(folder), linear.open_classifier())


class AnswerCache:
    """The SQLite file of the model's answers, today's number of requests, and the end of the service's pause.

    The file is opened for each use, so that processes can share it. Every method raises Fault if that fails.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def find(self, digests: Iterable[bytes]) -> dict[bytes, Said]:
        """Return digest -> answer, for those of ``digests`` whose answer is stored."""
        query = "select action, confidence from labels where digest = ?"
        with self._opened() as file:
            rows = ((key, file.execute(query, (key,)).fetchone()) for key in digests)
            return {key: Said(ActionType(row[0]), row[1]) for key, row in rows if row and row[0] in ACTION_WORDS}

    def put(self, answers: Mapping[bytes, Said]) -> None:
        """Store answers by the keys that ``prompt.digest`` returns. They never expire."""
        rows = [(key, str(said.action), said.confidence) for key, said in answers.items()]
        with self._opened() as file:
            file.executemany("insert or replace into labels values (?, ?, ?)", rows)

    def claim(self, now: datetime, *, most: int) -> None:
        """Count a request on the day (UTC) of ``now``.

        Raises Fault if the day already has ``most`` requests, or during a pause that the service asked for.
        """
        day = now.date().isoformat()
        with self._opened() as file:
            file.execute("insert or ignore into requests values (?, 0)", (day,))  # takes the write lock before reading
            file.execute("delete from requests where day < ?", (day,))
            if file.execute("select 1 from rest where until > ?", (now.timestamp(),)).fetchone():
                raise Fault("the service of the language model asked for a pause; its answers go on after it")
            count = "update requests set made = made + 1 where day = ? and made < ?"
            if file.execute(count, (day, most)).rowcount != 1:
                raise Fault(
                    "the requests that BRIDGE_LLM_REQUESTS_PER_DAY allows are used up for today; raise it, or wait "
                    "until tomorrow"
                )

    def pause(self, now: datetime, seconds: float) -> None:
        """Save that no request is allowed until ``seconds`` from ``now``."""
        until = (now + timedelta(seconds=seconds)).timestamp()
        with self._opened() as file:
            file.execute("insert or replace into rest values (1, ?)", (until,))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
            with closing(sqlite3.connect(self._path, timeout=CACHE_PATIENCE)) as file, file:
                for table in CACHE_SCHEMA:
                    file.execute(table)
                yield file
        except (sqlite3.Error, OSError) as error:
            raise Fault(f"{FILE} cannot be used ({type(error).__name__}); delete it, and it is made again") from None
