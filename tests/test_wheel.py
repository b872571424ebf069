"""The built wheels, installed away from the checkout: the product alone, and the laboratory beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("rhythm_", "rhythm-", "__editable__", "_rhythm", "_editable")  # how what we install ourselves begins


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The product's wheel and the laboratory's, each made from its sdist, unpacked into a folder each."""
    folder = tmp_path_factory.mktemp("wheels")
    builds = {
        name: [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / name)]
        for name in ("product", "laboratory")
    }
    running = {
        name: subprocess.Popen(
            command,
            cwd=ROOT if name == "product" else ROOT / "lab",
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for name, command in builds.items()
    }
    for name, process in running.items():
        told, _ = process.communicate(timeout=120)
        assert process.returncode == 0, told
        (wheel,) = (folder / name).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / f"{name}-site")
    return {name: folder / f"{name}-site" for name in builds}


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Links to all packages installed here except our own."""
    folder = tmp_path_factory.mktemp("libraries")
    for installed in Path(sysconfig.get_path("purelib")).iterdir():
        if not installed.name.startswith(OURS) and installed.suffix != ".pth":
            (folder / installed.name).symlink_to(installed)
    return folder


def run(folder: Path, *arguments: str, sites: list[Path], **more: str) -> subprocess.CompletedProcess[str]:
    """Run ``bridge`` with nothing on the path but these folders and the standard library."""
    code = (
        f"import sys; sys.path[:0] = {[str(site) for site in sites]!r}; "
        f"import bridge; assert bridge.__file__.startswith({str(sites[0])!r}); "
        f"sys.argv = ['bridge', *{arguments!r}]; from bridge.cli import main; main()"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | more
    command = [sys.executable, "-S", "-c", code]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.timeout(300)
def test_the_products_wheel_alone_runs_the_demo(tmp_path: Path, wheels: dict[str, Path], libraries: Path) -> None:
    product = wheels["product"]
    assert sorted(path.name for path in product.iterdir() if path.suffix != ".dist-info") == [
        *("bridge", "classifiers", "connectors", "policies", "rhythm_env"),
    ]
    assert not list(product.rglob("fixtures"))
    done = run(tmp_path, "demo", sites=[product, libraries])
    assert done.returncode == 0, done.stderr
    assert "Answer: bridge feedback" in done.stdout
    absent = run(tmp_path, "simulate", "--help", sites=[product, libraries])
    assert absent.returncode == 2
    assert "No such command" in absent.stderr
    own = {"sites": [product, libraries], "BRIDGE_HOME": str(tmp_path / "home"), "BRIDGE_POLICY": "thompson"}
    run(tmp_path, "user", "add", "ana", "--zone", "Europe/Berlin", **own)
    refused = run(tmp_path, "recommend", "--user", "ana", **own)
    assert refused.returncode == 2
    assert "'thompson' is not one of the policies" in refused.stderr
    assert "the default is BRIDGE_POLICY=adaptive" in refused.stderr


@pytest.mark.timeout(300)
def test_the_products_wheel_speaks_every_language(wheels: dict[str, Path]) -> None:
    own = {path.relative_to(ROOT) for path in (ROOT / "bridge" / "locale").rglob("*.mo")}
    packed = {path.relative_to(wheels["product"]) for path in (wheels["product"] / "bridge" / "locale").rglob("*.*")}
    assert own
    assert packed == own  # compiled, without their sources


@pytest.mark.timeout(300)
def test_both_wheels_hold_their_licence(wheels: dict[str, Path]) -> None:
    for site in wheels.values():
        (info,) = site.glob("*.dist-info")
        assert "License-Expression: Apache-2.0" in (info / "METADATA").read_text().splitlines()
        for name in ("LICENSE", "NOTICE"):
            assert (info / "licenses" / name).read_bytes() == (ROOT / name).read_bytes()
    (info,) = wheels["product"].glob("*.dist-info")
    bundled = {path.name for path in (wheels["product"] / "bridge/web/static").glob("*-LICENSE.txt")}
    assert bundled == {"htmx-LICENSE.txt", "uplot-LICENSE.txt"}
    assert {path.name for path in info.rglob("*-LICENSE.txt")} == bundled
    assert not list((wheels["laboratory"] / "lab").glob("LICENSE"))


def test_the_notice_names_data_that_exists() -> None:
    named = set(re.findall(r"(?:bridge|classifiers|policies|fixtures|lab)/[\w./-]*\w", (ROOT / "NOTICE").read_text()))
    assert len(named) > 10
    assert not {name for name in named if not (ROOT / name).exists()}


@pytest.mark.timeout(300)
def test_the_laboratorys_wheel_adds_its_commands(tmp_path: Path, wheels: dict[str, Path], libraries: Path) -> None:
    assert (wheels["laboratory"] / "lab" / "fixtures" / "whoop").is_dir()
    sites = [wheels["product"], wheels["laboratory"], libraries]
    helped = run(tmp_path, "simulate", "--help", sites=sites)
    assert helped.returncode == 0, helped.stderr
    assert "--policy" in helped.stdout
    done = run(tmp_path, "lab", "demo", sites=sites)
    assert done.returncode == 0, done.stderr
    assert "whoop is connected" in done.stdout
    assert "Answer: bridge feedback" in done.stdout
