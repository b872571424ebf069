"""The build of the laboratory's packages, which take the fixtures along, from a checkout or from the sdist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the folder of fixtures, which stands beside the laboratory in a checkout and within it in an sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the fixtures to a package. An editable install reads them in the checkout."""
        root = Path(self.root)
        place = next((one for one in (root / "fixtures", root.parent / "fixtures") if one.is_dir()), None)
        if version == "standard" and place is not None:
            build_data["force_include"][str(place)] = "fixtures"
