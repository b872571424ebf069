"""Pictures of results. Equal figures give equal bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bridge import origin
from bridge.domain.errors import SetupError

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999")  # Okabe and Ito 2008


def panels(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure of ``size`` inches and its axes, an array of rows and columns.

    Raises SetupError without matplotlib.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise origin.lacking("plot") from None
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def saved(figure: Any, path: Path) -> Path:
    """Write a figure in the format of the path's ending, and return the path. An old file is replaced.

    Raises SetupError for an unknown ending, and if the file cannot be written.
    """
    import matplotlib as mpl

    try:
        with mpl.rc_context({"svg.hashsalt": "rhythm-bridge", "svg.fonttype": "none"}):
            figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)
    except (ValueError, OSError) as error:
        ways = "end it with .png, .svg or .pdf, in a folder that can be written"
        raise SetupError(f"{path.name} cannot be drawn ({error}); {ways}") from None
    return path
