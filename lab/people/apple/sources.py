"""Writers of rows in an export: the person's watch, the phone, and another maker's app that repeats rows."""

from __future__ import annotations

from dataclasses import dataclass

from lab.people.apple.document import escaped

QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A writer of rows. The source with the lowest ``rank`` counts where several saw the same."""

    rank: int
    name: str
    version: str
    device: str = ""

    def head(self, kind: str, unit: str = "") -> str:
        """Return the beginning of a row of a type. The device's memory address differs between types."""
        named = f'sourceName="{escaped(self.name)}" sourceVersion="{self.version}" '
        address = 0x280000000 + sum(map(ord, kind + self.name)) * 0x1A0
        device = f'device="{escaped(self.device.replace("ADDRESS", f"{address:#x}"))}" ' if self.device else ""
        return f' <Record type="{kind}" {named}{device}' + (f'unit="{unit}" ' if unit else "")


WATCH = Source(
    rank=0,
    name="Ana’s Apple\u00a0Watch",
    version="10.1",
    device="<<HKDevice: ADDRESS>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,7, "
    "software:10.1>",
)
PHONE = Source(
    rank=1,
    name="Ana’s\u00a0iPhone",
    version="17.1.2",
    device="<<HKDevice: ADDRESS>, name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone14,5, "
    "software:17.1.2>",
)
OTHER = Source(rank=2, name="Connect", version="20240101")
