"""Write a user's samples and episodes to a JSON file of HL7 FHIR or IEEE 1752.1, entry by entry."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from bridge.documents import fhir, ieee1752
from bridge.domain.errors import SetupError
from bridge.domain.types import Episode, Sample
from bridge.ingest.archive import STANDARD_FORMATS
from bridge.ingest.files import new_folder

FILES = {kind: f"{kind}.json" for kind in STANDARD_FORMATS}


def write(
    user: str,
    told: tuple[Sequence[tuple[str, Sample]], Sequence[tuple[str, Episode]]],
    folder: Path,
    kind: str,
    *,
    at: datetime,
) -> dict[str, int]:
    """Write what is ``told``, samples and episodes, in the format ``kind``. Return name -> number of entries.

    Raises SetupError for a folder that is not empty, and for a file that cannot be written.
    """
    again = f"bridge export --user NAME --to FOLDER --format {kind}"
    new_folder(folder, again)
    counts: Counter[str] = Counter()
    place = folder / FILES[kind]
    try:
        with place.open("x", encoding="utf-8") as file:
            place.chmod(0o600)
            if kind == "fhir":
                found = _counted(fhir.observations(user, *told), counts)
                entries = _joined((fhir.entry(one) for one in found), ',"entry":[', "]")
                file.write(json.dumps(fhir.head(at))[:-1])
                file.writelines(entries)
                file.write("}\n")
            else:
                found = _counted(ieee1752.data_points(*told), counts)
                file.write("[")
                file.writelines(_joined(found, "", ""))
                file.write("]\n")
    except OSError as error:
        raise SetupError(
            f"the export in {folder} is incomplete ({error.strerror}); delete it, make room, then: {again}"
        ) from None
    return dict(sorted(counts.items()))


def _counted(found: Iterable[tuple[str, dict[str, Any]]], counts: Counter[str]) -> Iterator[dict[str, Any]]:
    for name, one in found:
        counts[name] += 1
        yield one


def _joined(found: Iterable[dict[str, Any]], before: str, after: str) -> Iterator[str]:
    some = False
    for one in found:
        yield f"{',' if some else before}\n{json.dumps(one, ensure_ascii=False)}"
        some = True
    if some:
        yield f"\n{after}"
