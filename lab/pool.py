"""Work shared by processes, in each of which numeric libraries use a single thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

from bridge.recordings.recorded_life import environment

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Asked = TypeVar("Asked")
Done = TypeVar("Done")


def worked(
    do: Callable[[Asked], Done], asked: Sequence[Asked], processes: int, on_step: Callable[[int, int], None]
) -> Iterator[tuple[Asked, Done]]:
    """Yield (argument, result) of ``do`` for each of ``asked`` as soon as it is done.

    With ``processes`` 1 the work is done in this process. ``on_step(done, total)`` reports progress.
    """
    with environment(dict.fromkeys(THREADS, "1")):
        if processes == 1:
            for done, one in enumerate(asked, start=1):
                yield one, do(one)
                on_step(done, len(asked))
            return
        with ProcessPoolExecutor(min(processes, len(asked) or 1), mp_context=get_context("spawn")) as pool:
            waiting = {pool.submit(do, one): one for one in asked}
            for done, future in enumerate(as_completed(waiting), start=1):
                yield waiting[future], future.result()
                on_step(done, len(asked))
