"""Run work that takes longer than a request in threads, as jobs whose progress a page polls."""

from __future__ import annotations

import logging
import queue
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bridge.domain.errors import BridgeError, TryLater
from bridge.domain.languages import _, reason, say
from bridge.store import database

log = logging.getLogger(__name__)

MAX_JOBS = 200  # remembered, running ones included
RUNNING_PER_USER = 8  # each has a thread; there are as many sources, and a consent may wait for minutes
REPLY_SECONDS = 180.0  # a job waits for the user's reply
PASTE_ADDRESS = say("Agree there. The last page does not open on this device: copy its address and paste it here")
RUNNING, DONE, FAILED = "running", "done", "failed"


@dataclass(slots=True, kw_only=True)
class Job:
    """A piece of work for a user, which is None before there is a user. It may ask the user a ``question``.

    ``elsewhere`` is True if the user's browser runs on another machine than the bridge.
    """

    id: str
    user_id: int | None
    title: str
    state: str = RUNNING
    done: int = 0
    total: int = 0
    text: str = ""
    question: str | None = None
    url: str | None = None
    code: str | None = None
    elsewhere: bool = False
    result: Any = None
    replies: queue.Queue[str] = field(default_factory=lambda: queue.Queue(maxsize=1))

    @property
    def share(self) -> int | None:
        """The percentage that is done, rounded down, or None while the total is unknown."""
        return None if not self.total else min(100, 100 * self.done // self.total)

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    def reply(self, text: str) -> None:
        """Pass the user's reply to the job, and hide the question. It is dropped while an earlier reply waits."""
        self.question = None
        if self.replies.empty():
            self.replies.put_nowait(text)

    def open(self, url: str, code: str | None = None) -> None:
        """Set the URL that the page shows as a link, and a code for the user to type there."""
        self.url, self.code = url, code

    def paste(self) -> str | None:
        """Ask the user to paste the address of the vendor's last page. Return it, or "" if no reply comes.

        Returns None at once if the browser is on the bridge's machine, where the vendor's redirect arrives by itself.
        """
        return self.ask(PASTE_ADDRESS) or "" if self.elsewhere else None

    def ask(self, question: str) -> str | None:
        """Show a question, wait for the user's reply and return it, or None for an empty or late reply."""
        self.question = question
        try:
            return self.replies.get(timeout=REPLY_SECONDS).strip() or None
        except queue.Empty:
            return None
        finally:
            self.question = None


class Jobs:
    """The jobs of a server by id. A user can find only their own. Of too many, the oldest that ended are dropped."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, user_id: int | None, title: str, work: Callable[[Job], Any]) -> Job:
        """Start ``work(job)`` in a thread and return its job without waiting. An error's text becomes the job's.

        ``user_id`` is None before there is a user. Raises TryLater if the user has too many running jobs.
        """
        job = Job(id=secrets.token_urlsafe(16), user_id=user_id, title=title)
        with self._lock:
            self._check(user_id)
            self._jobs[job.id] = job
            ended = [old.id for old in self._jobs.values() if old.state != RUNNING]
            for old in ended[: max(0, len(self._jobs) - MAX_JOBS)]:
                del self._jobs[old]
        threading.Thread(target=_run, args=(job, work), daemon=True).start()
        return job

    def find(self, user_id: int | None, job_id: str) -> Job | None:
        """Return the user's job, or None if the id is unknown or another user's."""
        job = self._jobs.get(job_id)
        return job if job is not None and job.user_id == user_id else None

    def check(self, user_id: int | None) -> None:
        """Raise TryLater if the user has too many running jobs."""
        with self._lock:
            self._check(user_id)

    def _check(self, user_id: int | None) -> None:
        if sum(job.user_id == user_id and job.state == RUNNING for job in self._jobs.values()) >= RUNNING_PER_USER:
            raise TryLater(
                _("{count} jobs are running for you; wait until one has ended", count=RUNNING_PER_USER), limited=True
            )

    def running(self, user_id: int | None) -> list[Job]:
        """Return the user's jobs that have not ended. None stands for jobs started without a user."""
        with self._lock:
            return [job for job in self._jobs.values() if job.user_id == user_id and job.state == RUNNING]


def _run(job: Job, work: Callable[[Job], Any]) -> None:
    try:
        job.result = work(job)
        job.state = DONE
    except BridgeError as error:
        job.text, job.state = reason(error), FAILED
    except Exception as error:  # noqa: BLE001 - text and title may be personal, the kind is not
        log.error("a job of the page failed with an unexpected %s", type(error).__name__)
        job.text = (
            database.OUTAGE_TEXT if database.is_outage(error) else say("something went wrong here; see: bridge doctor")
        )
        job.state = FAILED
