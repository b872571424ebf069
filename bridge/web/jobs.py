"""Work that takes longer than a request: it runs in a thread, and a page asks now and then how far it is."""

from __future__ import annotations

import logging
import queue
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bridge.errors import BridgeError

log = logging.getLogger(__name__)

MOST = 200  # jobs remembered
PATIENCE = 180.0  # seconds a job waits for an answer
LED_BACK = "Agree there. The page you end at does not open here: copy its address and paste it"
RUNNING, DONE, FAILED = "running", "done", "failed"


@dataclass(slots=True, kw_only=True)
class Job:
    """One piece of work of one person (None: of nobody yet). ``question`` and ``url`` are what it needs of them."""

    id: str
    user_id: int | None
    title: str
    state: str = RUNNING
    done: int = 0
    total: int = 0
    text: str = ""
    question: str | None = None
    url: str | None = None
    elsewhere: bool = False  # who asked for it is on another machine than the bridge
    result: Any = None
    answers: queue.Queue[str] = field(default_factory=lambda: queue.Queue(maxsize=1))

    @property
    def share(self) -> int | None:
        """Percent done; None while nobody knows."""
        return None if not self.total else min(100, 100 * self.done // self.total)

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    def reply(self, text: str) -> None:
        """What the person answered; a second answer to one question is dropped."""
        self.question = None
        if self.answers.empty():
            self.answers.put_nowait(text)

    def open(self, url: str) -> None:
        """As ``bridge.ports.Browser``: the page shows it as a link."""
        self.url = url

    def paste(self) -> str | None:
        """The vendor leads back to this machine by itself: nobody at another one gets there."""
        return self.ask(LED_BACK) or "" if self.elsewhere else None

    def ask(self, question: str) -> str | None:
        self.question = question
        try:
            return self.answers.get(timeout=PATIENCE).strip() or None
        except queue.Empty:
            return None
        finally:
            self.question = None


class Jobs:
    """The jobs of one server, by their name; each is its person's alone."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, user_id: int | None, title: str, work: Callable[[Job], Any]) -> Job:
        """Begin at once. What ``work`` returns becomes the job's ``result``, an error of ours its ``text``."""
        job = Job(id=secrets.token_urlsafe(16), user_id=user_id, title=title)
        with self._lock:
            self._jobs[job.id] = job
            over = [old.id for old in self._jobs.values() if old.state != RUNNING]
            for old in over[: max(0, len(self._jobs) - MOST)]:
                del self._jobs[old]
        threading.Thread(target=_run, args=(job, work), daemon=True).start()
        return job

    def of(self, user_id: int | None, name: str) -> Job | None:
        job = self._jobs.get(name)
        return job if job is not None and job.user_id == user_id else None

    def running(self, user_id: int | None) -> list[Job]:
        with self._lock:
            return [job for job in self._jobs.values() if job.user_id == user_id and job.state == RUNNING]


def _run(job: Job, work: Callable[[Job], Any]) -> None:
    try:
        job.result = work(job)
        job.state = DONE
    except BridgeError as error:
        job.text, job.state = str(error), FAILED
    except Exception as error:  # noqa: BLE001 - text and title may be personal, the kind is not
        log.error("a job of the page: unexpected %s", type(error).__name__)
        job.text, job.state = "Something went wrong here; see: bridge doctor", FAILED
