"""The build of the laboratory's packages, which include the fixtures, from a checkout or an sdist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """A build hook that adds the folder of fixtures, beside the laboratory in a checkout or within it in an sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the fixtures to a package, but not to an editable install, which reads them in the checkout."""
        root = Path(self.root)
        place = next((one for one in (root / "fixtures", root.parent / "fixtures") if one.is_dir()), None)
        if version == "standard" and place is not None:
            build_data["force_include"][str(place)] = "fixtures"
