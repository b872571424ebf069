"""The program that sends messages, forked off one process that has loaded Apprise, because loading takes a second."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, CompletedProcess, Popen, TimeoutExpired
from types import SimpleNamespace
from typing import Any

from bridge.advice import message_sender, notify


@contextmanager
def quick_sender() -> Iterator[SimpleNamespace]:
    """Yield what stands for ``subprocess`` in ``notify``."""
    turn = threading.Lock()
    root, command = Path(__file__).parents[2], [sys.executable, "-m", __name__]
    with Popen(command, stdin=PIPE, stdout=PIPE, cwd=root, env=notify._environment()) as process:

        def run(_command: list[str], *, input: bytes, **_: Any) -> CompletedProcess[bytes]:  # noqa: A002 - its name
            with turn:
                process.stdin.write(input + b"\n")
                process.stdin.flush()
                return CompletedProcess([], int(process.stdout.readline()))

        yield SimpleNamespace(run=run, TimeoutExpired=TimeoutExpired)
        process.stdin.close()


def _send(line: str) -> int:
    sys.stdin = io.StringIO(line)
    try:
        return message_sender.main()
    except BaseException:  # noqa: BLE001 - a crash exits with 1
        return 1


def main() -> None:
    """Send each message, a line of standard input, in a process of its own, and print the status it ended with."""
    import apprise

    import bridge.http.egress  # noqa: F401 - loaded once

    apprise.Apprise().add("json://localhost")  # which loads the services
    for line in sys.stdin:
        child = os.fork()
        if not child:
            os._exit(_send(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
