"""The wheel holds what the application needs, and runs where nothing else of the clone is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.serving import ServerProcess

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
VENDOR = ROOT / "kanban" / "static" / "vendor"
UV = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def run(*command: str | Path, cwd: Path) -> str:
    """Standard output of a command that must succeed."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", out, ROOT, cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a fresh environment with this wheel and exactly the locked dependencies."""
    place = tmp_path_factory.mktemp("installed")
    assert UV is not None, "uv is missing: make setup"
    locked = run(UV, "export", "--locked", "--no-dev", "--no-emit-project", "--quiet", cwd=ROOT)
    (place / "locked.txt").write_text(locked, encoding="utf-8")
    run(UV, "venv", "--quiet", "--python", sys.executable, place / "venv", cwd=place)
    into = ("--quiet", "--python", place / "venv")
    run(UV, "pip", "install", *into, "--require-hashes", "-r", "locked.txt", cwd=place)
    run(UV, "pip", "install", *into, "--no-deps", wheel, cwd=place)
    return place / "venv" / ("bin" if os.name == "posix" else "Scripts")


def tracked(folder: str) -> set[str]:
    """Files under `folder` that belong to the project."""
    return {
        str(path.relative_to(ROOT))
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_everything_the_application_reads_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = tracked("kanban/static") | tracked("kanban/locale") | tracked("loopx_web")
    wanted |= {f"loopx_web/{name}" for name in tracked("templates")}
    wanted |= {name.replace("docs/", "loopx_web/", 1) for name in tracked("docs/examples")}
    assert sorted(wanted - names) == []


def test_nothing_else_is_in_the_wheel(wheel: Path) -> None:
    top = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {name for name in top if not name.endswith(".dist-info")} == {
        "kanban",
        "loopx_web",
        "projections",
    }


def test_every_licence_travels_with_it(wheel: Path) -> None:
    content = zipfile.ZipFile(wheel)
    (place,) = {name.split("/")[0] for name in content.namelist() if ".dist-info/" in name}
    kept = {name.partition("/licenses/")[2] for name in content.namelist() if "/licenses/" in name}
    vendored = {f"kanban/static/vendor/{path.name}" for path in VENDOR.glob("*LICENSE*")}
    assert vendored and kept == {"LICENSE", "docs/examples/auto-research/DATA.md", *vendored}
    said = content.read(f"{place}/METADATA").decode()
    assert "License-Expression: MIT AND 0BSD AND CC-BY-4.0" in said


def test_serve_starts_from_the_installed_wheel(installed: Path, tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", program=[str(installed / "loopx")]) as server:
        page = urllib.request.urlopen(server.first_sign_in, timeout=30)
        assert page.status == 200
        assert "Content-Security-Policy" in page.headers
    assert server.process.returncode == 0
