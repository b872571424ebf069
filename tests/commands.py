"""The command as a shell would run it, but here: starting Python takes longer than most commands."""

from __future__ import annotations

import io
import os
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from bridge.cli import main


def bridge(*arguments: str, home: Path | None = None) -> CompletedProcess[str]:
    """``returncode``, ``stdout`` and ``stderr``; ``home``: another folder than this test's."""
    out, err = io.StringIO(), io.StringIO()
    with (
        nullcontext() if home is None else patch.dict(os.environ, {"BRIDGE_HOME": str(home)}),
        patch("sys.argv", ["bridge", *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = _ended()
    return CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def _ended() -> int:
    try:
        main()
    except SystemExit as left:
        return int(left.code or 0)
    return 0
